// The live panel: what it shows, how often it asks, and when it does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPage } from './browser.mjs';

const tile = (page, name) => page.locator('.tile', { has: page.getByRole('heading', { name }) });
const polls = (server) => server.asked.filter(({ path }) => path === '/v1/live').length;

// Stands in for another tab being in front, which a headless browser cannot do.
const hide = (page, hidden) =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);

test('a busy server shows its rate, times, budget and queue', async () => {
  const { page } = await openPage({ scenario: { load: 0.5 } });
  await tile(page, 'Requests/s').getByText('600').waitFor();
  assert.match(await tile(page, 'p99').textContent(), /10\sms.*p50 3\.3\sms/);
  assert.match(await tile(page, 'Budget in use').textContent(), /60\s%.*mean 80\s%/);
  assert.match(await tile(page, 'Queue').textContent(), /20.*of 512/);
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
  await page.clock.pauseAt(Date.now() + 60000);
  for (const load of [0.1, 0.2, 0.3]) {
    const before = polls(server);
    await page.clock.runFor(900);
    await page.evaluate(() => fetch('v1/models')); // whatever was asked before is counted now
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
