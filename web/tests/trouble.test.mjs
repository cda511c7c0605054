// What the reader is told when the server says no, or nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { enterKey, openPage, typeText } from './browser.mjs';

const full = { status: 429, code: 'overloaded', message: 'the queue is full', retryAfter: 3 };
const alert = (page) => page.getByRole('alert');

test('a full server is said to be full, and asked again when it said so', async () => {
  const { page, server } = await openPage();
  await page.clock.install();
  server.scenario.refusal = full;
  await page.getByLabel('Text to classify').fill('rain');
  await page.clock.runFor(500);
  await alert(page).getByText('Server is full, retry in 3 s.').waitFor();
  server.scenario.refusal = null;
  await page.clock.runFor(3000);
  await page.locator('.answer:not(.empty)').waitFor();
  assert.equal(await alert(page).isVisible(), false);
});

test('a time limit that no budget makes is not called a full server', async () => {
  const message = 'the deadline cannot be met';
  for (const refusal of [{ ...full, message, retryAfter: 0 }, { status: 422, code: 'deadline_unreachable', message }]) {
    const { page } = await openPage({ scenario: { refusal } });
    await page.getByText('Time limit').click();
    await page.getByLabel('Answer within').fill('0.06');
    await page.getByLabel('Text to classify').fill('rain');
    await alert(page).getByText('This time limit is too short, even at the smallest budget.').waitFor();
  }
});

test('the last answer stays readable while the server is full', async () => {
  const { page, server } = await openPage();
  await typeText(page, 'one two');
  const label = await page.locator('#headline').textContent();
  server.scenario.refusal = full;
  await page.getByLabel('Text to classify').fill('one two three');
  await alert(page).getByText('Server is full').waitFor();
  assert.equal(await page.locator('#headline').textContent(), label);
  assert.equal(await page.locator('.answer.old').count(), 1);
});

test('the server’s own words are shown for what it cannot do', async () => {
  const message = 'this model has no budget below 0.5';
  const { page } = await openPage({ scenario: { refusal: { status: 422, code: 'unprocessable', message } } });
  await page.getByLabel('Text to classify').fill('rain');
  await alert(page).getByText(message).waitFor();
});

test('a server that shuts down says so', async () => {
  const { page } = await openPage({ scenario: { refusal: { status: 503, code: 'draining', message: '' } } });
  await page.getByLabel('Text to classify').fill('rain');
  await alert(page).getByText('takes no texts now').waitFor();
});

test('the key field appears only when the server asks for a key', async () => {
  const { page } = await openPage();
  await page.getByText('7.4 M parameters').waitFor();
  assert.equal(await page.getByLabel('API key').isVisible(), false);
});

test('a wrong key is told, the right one opens the page and survives a reload', async () => {
  const { page } = await openPage({ scenario: { key: 'open sesame' } });
  await page.getByLabel('API key').fill('guess');
  await page.getByRole('button', { name: 'Use this key' }).click();
  await alert(page).getByText('did not accept this key').waitFor();
  await enterKey(page, 'open sesame');
  await typeText(page);
  assert.equal(await page.getByLabel('API key').isVisible(), false);
  assert.equal(await alert(page).isVisible(), false);
  await page.reload();
  await typeText(page);
});

test('a server that starts later than the page is found', async () => {
  const { page, context, server } = await openPage();
  await context.route('**/v1/**', (route) => route.abort());
  await page.clock.install();
  await page.reload();
  await alert(page).getByText('The server does not answer.').waitFor();
  await context.unroute('**/v1/**');
  await page.clock.runFor(2500);
  await page.getByText('7.4 M parameters').waitFor();
  assert.ok(server.asked.length > 0);
});

test('when a lost server is back, the text is asked again', async () => {
  const { page, context } = await openPage();
  await page.getByText('12,345 answered').waitFor();
  await page.clock.install();
  await context.route('**/v1/**', (route) => route.abort());
  await page.getByLabel('Text to classify').fill('rain');
  await page.clock.runFor(1500);
  await alert(page).getByText('The server does not answer.').waitFor();
  await page.getByText('the server does not answer', { exact: true }).waitFor();
  await context.unroute('**/v1/**');
  await page.clock.runFor(10000);
  await page.locator('.answer:not(.empty)').waitFor();
  await alert(page).waitFor({ state: 'hidden' });
});
