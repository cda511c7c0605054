// What can be said about looks in numbers, and pictures for the rest (build/page-screenshots).
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';

import { enterKey, keepPicture, openPage, root, typeText } from './browser.mjs';
import { lowContrast } from './contrast.mjs';
import { denseModel, flagsModel, newsModel, oneOfEach, pairModel } from './fake_models.mjs';

const phone = { viewport: { width: 320, height: 640 }, deviceScaleFactor: 2 };
const dark = { colorScheme: 'dark' };
const busy = { load: 0.7 };

const exampleOf = async (page, tab) => {
  await page.getByRole('tab', { name: tab }).click();
  await page.getByRole('button', { name: 'Try an example' }).click();
  await page.locator('.answer:not(.empty):not(.old)').waitFor();
  await page.evaluate(() => document.activeElement.blur());
};

async function filledPage(view, scenario = busy) {
  const opened = await openPage({ scenario, view });
  const { page } = opened;
  await typeText(page);
  await page.locator('.tile').first().waitFor();
  if (await page.locator('#budget').isVisible()) await page.locator('#budget').fill('500');
  await page.locator('.answer:not(.old)').waitFor();
  await page.evaluate(() => document.activeElement.blur());
  return opened;
}

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

// Text that is wider than the box it stands in.
const clipped = (page) =>
  page.locator('dd, .figure, .value, .threshold, .hint, [role=tab], h3, legend, .segments span').evaluateAll((boxes) =>
    boxes
      .filter((box) => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1 && box.clientWidth > 1)
      .map((box) => box.textContent),
  );

for (const [name, view] of [
  ['desktop-light', {}],
  ['desktop-dark', dark],
  ['phone-light', phone],
  ['phone-dark', { ...phone, ...dark }],
]) {
  test(`${name}: readable, nothing clipped, nothing sideways, nothing from elsewhere`, async () => {
    const { page, troubles } = await filledPage(view);
    await keepPicture(page, name);
    assert.deepEqual(await lowContrast(page), []);
    assert.deepEqual(await clipped(page), []);
    assert.ok((await overflow(page)) <= 0);
    assert.deepEqual(troubles, []);
  });
}

for (const [name, view] of [
  ['desktop-light', {}],
  ['desktop-dark', dark],
  ['phone-light', phone],
]) {
  test(`${name}: every tab is readable, nothing clipped, nothing sideways, nothing from elsewhere`, async () => {
    const { page, troubles } = await openPage({ scenario: { ...busy, models: oneOfEach() }, view });
    for (const tab of ['Tag', 'Compare', 'Rank']) {
      await exampleOf(page, tab);
      await keepPicture(page, `${name}-${tab.toLowerCase()}`);
      assert.deepEqual(await lowContrast(page), [], tab);
      assert.deepEqual(await clipped(page), [], tab);
      assert.ok((await overflow(page)) <= 0, tab);
    }
    assert.deepEqual(troubles, []);
  });
}

test('several labels with thresholds, and four ways to spend, fit on a phone too', async () => {
  const { page } = await openPage({ scenario: { models: [{ ...flagsModel(), auto: true }] }, view: phone });
  await page.getByText('Time limit').click();
  await typeText(page, 'anger and joy');
  await keepPicture(page, 'phone-flags');
  assert.ok((await overflow(page)) <= 0);
  assert.deepEqual(await lowContrast(page), []);
  assert.deepEqual(await clipped(page), []);
});

test('a large model with long labels fits on a phone too', async () => {
  const { page } = await filledPage(phone, { models: [denseModel(), newsModel()] });
  await page.getByLabel('Model', { exact: true }).selectOption('intents');
  await page.locator('.layers li').nth(11).waitFor();
  await page.locator('.answer:not(.old):not(.empty)').waitFor();
  await keepPicture(page, 'phone-large-model');
  assert.ok((await overflow(page)) <= 0);
  assert.deepEqual(await clipped(page), []);
});

test('a notice, a key and a second text fit on a phone too', async () => {
  const { page, server } = await openPage({ scenario: { models: [pairModel()] }, view: phone });
  await page.getByLabel('Text to classify').fill('rain');
  server.scenario.key = 'secret';
  await page.getByLabel('Second text').fill('word '.repeat(30) + 'x'.repeat(200));
  await page.getByLabel('API key').waitFor();
  await page.getByLabel('API key').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await keepPicture(page, 'phone-key');
  assert.ok((await overflow(page)) <= 0);
  assert.deepEqual(await lowContrast(page), []);
});

for (const [name, view] of [
  ['desktop-light', {}],
  ['desktop-dark', dark],
  ['phone-light', phone],
]) {
  test(`${name}: a key and its quotas are readable, nothing clipped, nothing sideways`, async () => {
    const rules = {
      name: 'search-of-the-evening-edition',
      priority: 'high',
      requests: { per_minute: 1200, left: 420 },
      compute_seconds: { per_minute: 30, left: -0.25 },
    };
    const { page, troubles } = await openPage({ scenario: { ...busy, key: 'secret', rules }, view });
    await enterKey(page, 'secret');
    await typeText(page);
    await page.getByRole('heading', { name: 'Your key' }).waitFor();
    await page.evaluate(() => document.activeElement.blur());
    await keepPicture(page, `${name}-quotas`);
    assert.deepEqual(await lowContrast(page), []);
    assert.deepEqual(await clipped(page), []);
    assert.ok((await overflow(page)) <= 0);
    assert.ok(troubles.every((trouble) => trouble.includes('401'))); // which asks for the key
  });
}

test('nothing moves for those who asked for that', async () => {
  const durations = (page) =>
    page.locator('.bar-fill').first().evaluate((bar) => getComputedStyle(bar).transitionDuration);
  const still = await openPage({ view: { reducedMotion: 'reduce' } });
  await still.page.locator('.layers').waitFor();
  assert.equal(await durations(still.page), '0s');
});

test('the page is one small file that allows no script but its own', async () => {
  assert.ok(statSync(`${root}src/server/api/page/index.html`).size < 60_000);
  const { page } = await openPage();
  const ran = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.intruder = true';
    document.head.append(script);
    return 'intruder' in window;
  });
  assert.equal(ran, false);
});
