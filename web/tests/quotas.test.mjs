// Whose key is in use, and what is left of its quotas.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { enterKey, openPage, typeText } from './browser.mjs';

const rules = (changes = {}) => ({
  name: 'search',
  priority: 'high',
  models: null,
  read_only: false,
  admin: false,
  requests: { per_minute: 600, left: 598.7 },
  compute_seconds: { per_minute: 30, left: 12.345 },
  ...changes,
});

const panel = (page) => page.getByRole('region', { name: 'Your key' });
const asked = (server) => server.asked.filter(({ path }) => path === '/v1/key').length;

async function openWithKey(changes) {
  const opened = await openPage({ scenario: { key: 'open sesame', rules: rules(changes) } });
  await enterKey(opened.page, 'open sesame');
  await panel(opened.page).waitFor();
  return opened;
}

// "Requests left" and what stands below it.
const fact = (page, name) => panel(page).locator('div', { has: page.getByText(name, { exact: true }) }).innerText();

test('a key shows its name, its priority and what is left of this minute', async () => {
  const { page } = await openWithKey();
  assert.equal(await fact(page, 'Name'), 'Name\nsearch');
  assert.equal(await fact(page, 'Priority'), 'Priority\nhigh\nbefore others');
  assert.match(await fact(page, 'Requests left'), /^Requests left\n598\nof 600 a minute$/);
  assert.match(await fact(page, 'Compute left'), /^Compute left\n12\.3\ss\nof 30\ss a minute$/);
});

test('what is left follows the server', async () => {
  const { page, server } = await openWithKey();
  server.scenario.rules = rules({ requests: { per_minute: 600, left: 0.4 }, compute_seconds: { per_minute: 30, left: -1.5 } });
  await panel(page).getByText('1.5\u202fs owed, of 30\u202fs a minute').waitFor();
  assert.match(await fact(page, 'Requests left'), /^Requests left\n0\n/);
  assert.match(await fact(page, 'Compute left'), /^Compute left\n0\ss\n/);
});

test('a key without limits says so, and has no bars', async () => {
  const { page } = await openWithKey({ priority: 'normal', requests: null, compute_seconds: null });
  assert.match(await fact(page, 'Requests left'), /\nno limit$/);
  assert.match(await fact(page, 'Compute left'), /\nno limit$/);
  assert.equal(await panel(page).locator('.bar:visible').count(), 0);
});

test('a read-only key says what it is for', async () => {
  const { page } = await openWithKey({ read_only: true });
  assert.match(await fact(page, 'Name'), /may look, not ask/);
});

test('a server without keys is not asked about one', async () => {
  const { page, server } = await openPage();
  await page.locator('.tile').first().waitFor();
  assert.equal(asked(server), 0);
  assert.equal(await panel(page).isVisible(), false);
});

test('the one key of a server without a file has no name and no quotas', async () => {
  const { page, server } = await openPage({ scenario: { key: 'open sesame' } });
  const told = page.waitForResponse((response) => response.url().endsWith('/v1/key'));
  await enterKey(page, 'open sesame');
  await told;
  await typeText(page);
  assert.ok(asked(server) > 0);
  assert.equal(await panel(page).isVisible(), false);
});

test('a quota that is used up is not called a full server', async () => {
  const message = 'key "search" has used its 600 requests a minute';
  const { page, server } = await openWithKey();
  server.scenario.refusal = { status: 429, code: 'quota_exceeded', message, retryAfter: 12 };
  await page.getByLabel('Text to classify').fill('rain');
  await page.getByRole('alert').getByText(`The ${message}; retry in 12 s.`).waitFor();
});
