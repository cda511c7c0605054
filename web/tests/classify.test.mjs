// Type a text, say what it may cost, read the answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPage, typeText } from './browser.mjs';
import { flagsModel, numberModel, pairModel } from './fake_models.mjs';

const answerLabel = (page) => page.locator('#headline');
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

test('a model of one text is offered no second one', async () => {
  const { page } = await openPage();
  await typeText(page);
  assert.equal(await page.getByLabel('Second text').isVisible(), false);
  assert.equal(await page.getByRole('button', { name: 'Add a second text' }).isVisible(), false);
});

test('a model of pairs has two fields, and is asked once both are filled', async () => {
  const { page } = await openPage({ scenario: { models: [pairModel()] } });
  const sent = bodies(page);
  await page.getByLabel('Text to classify').fill('a question');
  await page.getByLabel('Second text').fill('an answer');
  await page.locator('.answer:not(.empty):not(.old)').waitFor();
  assert.ok(sent.every(({ inputs }) => inputs[0].text_pair !== undefined));
  assert.deepEqual(sent.at(-1).inputs, [{ text: 'a question', text_pair: 'an answer' }]);
});

test('a number is shown as it is, and may be about two texts', async () => {
  const { page } = await openPage({ scenario: { models: [numberModel()] } });
  const sent = bodies(page);
  await typeText(page, 'one two three');
  assert.equal(await answerLabel(page).textContent(), '3.000');
  assert.equal(await page.locator('#scores li').count(), 0);
  await page.getByRole('button', { name: 'Add a second text' }).click();
  await page.getByLabel('Second text').fill('four');
  await page.locator('.answer:not(.old)').waitFor();
  assert.deepEqual(sent.at(-1).inputs, [{ text: 'one two three', text_pair: 'four' }]);
});

test('of several labels all are drawn with their thresholds, and those given stand out', async () => {
  const { page } = await openPage({ scenario: { models: [flagsModel()] } });
  await typeText(page, 'anger and fear and joy');
  assert.equal(await answerLabel(page).textContent(), 'anger, joy'); // fear has 60 % and needs 80
  const rows = page.locator('#scores li');
  assert.match((await rows.allTextContents()).join(' '), /anger60\.0\s%from 30\s%.*joy60\.0\s%from 50\s%.*fear60\.0\s%from 80\s%/);
  assert.deepEqual(await page.locator('#scores .best .name').allTextContents(), ['anger', 'joy']);
  assert.equal(await rows.nth(2).locator('.tick').evaluate((tick) => tick.style.left), '80%');
});

test('a text that gets none of several labels says so', async () => {
  const { page } = await openPage({ scenario: { models: [flagsModel()] } });
  await typeText(page, 'rain');
  assert.equal(await answerLabel(page).textContent(), 'None');
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
