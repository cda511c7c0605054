// Everything without a mouse, and for those who listen.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPage, typeText } from './browser.mjs';

const focused = (page) => page.evaluate(() => document.activeElement?.id || document.activeElement?.value);

test('tab goes from the text through its cost', async () => {
  const { page } = await openPage();
  await page.getByText('7.4 M parameters').waitFor();
  const visited = [];
  for (let i = 0; i < 4; ++i) {
    await page.keyboard.press('Tab');
    visited.push(await focused(page));
  }
  assert.deepEqual(visited, ['text', 'pair-toggle', 'budget', 'budget']);
  assert.equal(await page.evaluate(() => document.activeElement.type), 'range');
});

test('arrow keys move the slider by half a per cent, Home and End to its ends', async () => {
  const { page } = await openPage();
  const slider = page.getByRole('slider', { name: 'Budget' });
  await page.getByText('7.4 M parameters').waitFor();
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  assert.equal(await slider.inputValue(), '995');
  assert.match(await slider.getAttribute('aria-valuetext'), /^99\.5\s% of the compute$/);
  await page.keyboard.press('Home');
  assert.equal(await slider.inputValue(), '125');
  await page.keyboard.press('End');
  assert.equal(await slider.inputValue(), '1000');
});

test('arrow keys choose between budget, time and server', async () => {
  const { page } = await openPage();
  await page.getByText('7.4 M parameters').waitFor();
  await page.getByRole('radio', { name: 'Budget' }).focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.getByLabel('Answer within').isVisible(), true);
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.getByText('all it can afford').isVisible(), true);
});

test('whatever has the focus shows it', async () => {
  const { page } = await openPage();
  await page.getByText('7.4 M parameters').waitFor();
  const outline = (pseudo) =>
    page.evaluate((part) => getComputedStyle(document.activeElement, part).outlineStyle, pseudo);
  await page.keyboard.press('Tab');
  assert.equal(await outline(), 'solid');
  await page.keyboard.press('Tab');
  assert.equal(await outline(), 'solid');
  await page.keyboard.press('Tab');
  const segment = () => getComputedStyle(document.activeElement.nextElementSibling).outlineStyle;
  assert.equal(await page.evaluate(segment), 'solid');
});

test('every control has a name', async () => {
  const { page } = await openPage();
  await page.getByRole('button', { name: 'Add a second text' }).click();
  const nameless = await page.locator('input, select, textarea, button').evaluateAll((controls) =>
    controls.filter((control) => !control.labels?.length && !control.textContent.trim()).map((control) => control.id),
  );
  assert.deepEqual(nameless, []);
});

test('the answer is announced once the typing rests', async () => {
  const { page } = await openPage();
  await typeText(page);
  const said = page.locator('[aria-live=polite]');
  await said.getByText(/^\S+, 9\d\s%, 0\.98\sms at budget 100\s%$/).waitFor({ state: 'attached' });
});
