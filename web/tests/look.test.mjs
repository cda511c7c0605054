// What can be said about looks in numbers, and pictures for the rest (build/page-screenshots).
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';

import { keepPicture, openPage, root, typeText } from './browser.mjs';
import { lowContrast } from './contrast.mjs';
import { denseModel, newsModel } from './fake_models.mjs';

const phone = { viewport: { width: 320, height: 640 }, deviceScaleFactor: 2 };
const dark = { colorScheme: 'dark' };
const busy = { load: 0.7 };

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
  page.locator('dd, .figure, .value, .hint, h3, legend, .segments span').evaluateAll((boxes) =>
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

test('a large model with long labels fits on a phone too', async () => {
  const { page } = await filledPage(phone, { models: [denseModel(), newsModel()] });
  await page.getByLabel('Model').selectOption('intents');
  await page.locator('.layers li').nth(11).waitFor();
  await page.locator('.answer:not(.old):not(.empty)').waitFor();
  await keepPicture(page, 'phone-large-model');
  assert.ok((await overflow(page)) <= 0);
  assert.deepEqual(await clipped(page), []);
});

test('a notice, a key and a second text fit on a phone too', async () => {
  const { page, server } = await filledPage(phone);
  await page.getByRole('button', { name: 'Add a second text' }).click();
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
