// The live panel: what it shows, how often it asks, and when it does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPage } from './browser.mjs';
import { newsModel, oneOfEach } from './fake_models.mjs';

const tile = (page, name) => page.locator('.tile', { has: page.getByRole('heading', { name }) });
const polls = (server) => server.asked.filter(({ path }) => path === '/v1/live').length;

// Stands in for another tab being in front, which a headless browser cannot do.
const hide = (page, hidden) =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);

// The clock stands; what was asked before has been counted and answered.
async function stopClock(page) {
  await page.clock.pauseAt(Date.now() + 60000);
  await settled(page);
}

// A round trip later, whatever the page asked before has arrived.
const settled = (page) => page.evaluate(() => fetch('v1/models').then((response) => response.text()));

test('a busy server shows its rate, times, budget and queue', async () => {
  const { page } = await openPage({ scenario: { load: 0.5 } });
  await tile(page, 'Requests/s').getByText('600').waitFor();
  assert.match(await tile(page, 'p99').textContent(), /10\sms.*p50 3\.3\sms/);
  assert.match(await tile(page, 'Budget in use').textContent(), /60\s%.*mean 80\s%/);
  assert.match(await tile(page, 'Queue').textContent(), /20.*of 512/);
  assert.match(await tile(page, 'Refused/s').textContent(), /0.*0 since the start/);
  assert.equal(await tile(page, 'Requests/s').locator('polyline').count(), 1);
  await page.getByText('12,345 answered, 0 refused, 1 abandoned since the start').waitFor();
});

test('an idle server has no times and no line for them', async () => {
  const { page } = await openPage();
  await tile(page, 'p99').getByText('p50 –').waitFor();
  assert.equal(await tile(page, 'p99').locator('polyline').count(), 0);
});

test('it asks once a second', async () => {
  const { page, server } = await openPage();
  await page.clock.install();
  await page.reload();
  await tile(page, 'Queue').waitFor();
  await stopClock(page);
  for (const load of [0.1, 0.2, 0.3]) {
    const before = polls(server);
    await page.clock.runFor(900);
    await settled(page);
    assert.equal(polls(server), before);
    server.scenario.load = load;
    await page.clock.runFor(100);
    await tile(page, 'Requests/s').getByText(String(1200 * load), { exact: true }).waitFor();
    assert.equal(polls(server), before + 1);
  }
});

test('it rests while nobody can see it, and goes on at once afterwards', async () => {
  const { page, server } = await openPage();
  await page.clock.install();
  await page.reload();
  await tile(page, 'Queue').waitFor();
  await hide(page, true);
  const before = polls(server);
  await page.clock.runFor(30000);
  assert.equal(polls(server), before);
  const answered = page.waitForResponse((response) => response.url().includes('/v1/live'));
  await hide(page, false);
  await answered;
});

test('of several models all are listed with what they do now', async () => {
  const { page } = await openPage({ scenario: { load: 0.5, models: oneOfEach() } });
  const row = (name) => page.getByRole('row', { name });
  await row('flags').getByText('12,345').waitFor();
  assert.match(await row('names').textContent(), /names\s*tag\s*88 k\s*60\s%\s*20\s*12,345\s*0/);
  assert.equal(await page.getByRole('row').count(), 6);
});

test('a model chosen in the list opens its tab', async () => {
  const { page } = await openPage({ scenario: { models: oneOfEach() } });
  await page.getByRole('button', { name: 'ranker' }).click();
  await page.getByRole('tab', { name: 'Rank', selected: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'ranker' }).getAttribute('aria-current'), 'true');
  await page.getByRole('button', { name: 'flags' }).click();
  assert.equal(await page.getByLabel('Model', { exact: true }).inputValue(), 'flags');
});

test('many models are asked about a few at a time', async () => {
  const models = Array.from({ length: 20 }, (_, i) => ({ ...newsModel(), name: `news-${i}` }));
  const { page, server } = await openPage({ scenario: { models } });
  await page.clock.install();
  await page.reload();
  await tile(page, 'Queue').waitFor();
  await stopClock(page);
  const before = polls(server);
  await page.clock.runFor(1000);
  await settled(page);
  assert.equal(polls(server), before + 5);
});

test('a model that the server drops gives way to one that it has', async () => {
  const { page, server } = await openPage({ scenario: { models: [newsModel(), { ...newsModel(), name: 'newer' }] } });
  await tile(page, 'Queue').waitFor();
  server.scenario.models = [{ ...newsModel(), name: 'newest' }];
  await page.getByText('newest · 4 layers').waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Models' }).isVisible(), false);
});
