// Everything without a mouse, and for those who listen.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPage, typeText } from './browser.mjs';
import { autoModel, oneOfEach } from './fake_models.mjs';

const focused = (page) => page.evaluate(() => document.activeElement?.id || document.activeElement?.value);

test('tab goes from the text through its cost', async () => {
  const { page } = await openPage();
  await page.getByText('7.4 M parameters').waitFor();
  const visited = [];
  for (let i = 0; i < 4; ++i) {
    await page.keyboard.press('Tab');
    visited.push(await focused(page));
  }
  assert.deepEqual(visited, ['text', 'example', 'server', 'budget']);
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

test('arrow keys choose between server, budget, auto and time', async () => {
  const { page } = await openPage({ scenario: { models: [autoModel()] } });
  await page.getByText('7.4 M parameters').waitFor();
  await page.getByRole('radio', { name: 'Server decides' }).focus();
  assert.equal(await page.getByText('all it can afford').isVisible(), true);
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.getByText('Exactly this much').isVisible(), true);
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.getByText('What each text needs').isVisible(), true);
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.getByLabel('Answer within').isVisible(), true);
});

test('Tab comes to the chosen tab, arrows go round the tabs, and the panel is named after it', async () => {
  const { page } = await openPage({ scenario: { models: oneOfEach() } });
  await page.getByText('7.4 M parameters').waitFor();
  await page.getByLabel('Model', { exact: true }).focus();
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'tab-classify');
  for (const name of ['Tag', 'Compare', 'Rank', 'Classify']) {
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name, selected: true }).waitFor();
    await page.getByRole('tabpanel', { name }).waitFor();
  }
  await page.keyboard.press('End');
  assert.equal(await focused(page), 'tab-rank');
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'query');
});

test('the example button puts the focus where the example is', async () => {
  const { page } = await openPage();
  await page.getByRole('button', { name: 'Try an example' }).press('Enter');
  await page.locator('.answer:not(.empty):not(.old)').waitFor();
  assert.equal(await focused(page), 'text');
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
  const { page } = await openPage({ scenario: { models: oneOfEach() } });
  await page.getByText('7.4 M parameters').waitFor();
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
