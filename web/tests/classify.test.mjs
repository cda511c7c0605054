// Type a text, say what it may cost, read the answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPage, typeText } from './browser.mjs';

const answerLabel = (page) => page.locator('#label');
const time = (page, name) => page.locator('#times div', { hasText: name }).locator('dd');
const bodies = (page) => {
  const sent = [];
  page.on('request', (request) => request.url().endsWith('/v1/classify') && sent.push(request.postDataJSON()));
  return sent;
};

test('a text is classified as it is typed', async () => {
  const { page } = await openPage();
  await page.getByLabel('Text to classify').pressSequentially('rain');
  await page.locator('.answer:not(.empty)').waitFor();
  assert.match(await answerLabel(page).textContent(), /^(World|Sports|Business|Sci\/Tech)$/);
});

test('the answer shows a bar for every label, and the best one stands out', async () => {
  const { page } = await openPage();
  await typeText(page);
  assert.equal(await page.locator('#scores li').count(), 4);
  const best = page.locator('#scores li.best');
  assert.equal(await best.count(), 1);
  assert.equal(await best.locator('.name').textContent(), await answerLabel(page).textContent());
  assert.match(await best.locator('.value').textContent(), /^\d\d\.\d\s%$/);
});

test('the answer says budget, times and tokens', async () => {
  const { page } = await openPage();
  await typeText(page, 'one two three');
  assert.match(await time(page, 'Budget').textContent(), /^100\s%$/);
  assert.match(await time(page, 'Inference').textContent(), /^0\.98\sms$/);
  assert.match(await time(page, 'Predicted').textContent(), /^1\.0\sms$/);
  assert.match(await time(page, 'Queue').textContent(), /^0\.031\sms$/);
  assert.equal(await time(page, 'Tokens').textContent(), '5');
});

test('moving the slider asks for exactly that budget', async () => {
  const { page } = await openPage();
  const sent = bodies(page);
  await page.getByRole('slider', { name: 'Budget' }).fill('375');
  await typeText(page);
  assert.equal(sent.at(-1).budget, 0.375);
  assert.match(await time(page, 'Budget').textContent(), /^37\.5\s%$/);
});

test('a time limit is sent as milliseconds, without a budget', async () => {
  const { page } = await openPage();
  const sent = bodies(page);
  await page.getByText('Time limit').click();
  await page.getByLabel('Answer within').fill('0.5');
  await typeText(page);
  assert.equal(sent.at(-1).latency_ms, 0.5);
  assert.equal('budget' in sent.at(-1), false);
  assert.match(await time(page, 'Budget').textContent(), /^50\s%$/);
});

test('what is no time is told and not sent', async () => {
  const { page } = await openPage();
  const sent = bodies(page);
  await page.getByText('Time limit').click();
  await page.getByLabel('Answer within').fill('-3');
  await page.getByLabel('Text to classify').fill('rain');
  await page.getByRole('alert').getByText('number of milliseconds').waitFor();
  assert.deepEqual(sent, []);
});

test('when the server decides, nothing is said about cost', async () => {
  const { page } = await openPage({ scenario: { budget: 0.25 } });
  const sent = bodies(page);
  await page.getByText('Server decides').click();
  await typeText(page);
  assert.deepEqual(Object.keys(sent.at(-1)).sort(), ['inputs', 'model']);
  assert.match(await time(page, 'Budget').textContent(), /^25\s%$/);
});

test('a second text goes along once it is asked for', async () => {
  const { page } = await openPage();
  const sent = bodies(page);
  await page.getByRole('button', { name: 'Add a second text' }).click();
  await page.getByLabel('Second text').fill('an answer');
  await typeText(page, 'a question');
  assert.deepEqual(sent.at(-1).inputs, [{ text: 'a question', text_pair: 'an answer' }]);
});

test('a slow old answer never replaces a newer one', async () => {
  let release;
  const slow = new Promise((resolve) => (release = resolve));
  const { page } = await openPage({ scenario: { hold: (text) => (text === 'slow' ? slow : null) } });
  const asked = page.waitForRequest((request) => request.postDataJSON()?.inputs?.[0].text === 'slow');
  await page.getByLabel('Text to classify').fill('slow');
  await asked;
  await typeText(page, 'one two three four');
  release();
  await page.evaluate(() => fetch('v1/models')); // a round trip later it would have arrived
  assert.equal(await time(page, 'Tokens').textContent(), '6');
});

test('without a text there is no answer', async () => {
  const { page } = await openPage();
  await typeText(page);
  await page.getByLabel('Text to classify').fill('   ');
  await page.locator('.answer.empty').waitFor();
  assert.match(await time(page, 'Inference').textContent(), /^–$/);
});
