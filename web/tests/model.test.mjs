// What the page draws of the model: what is alive, how accurate it is, which one is asked.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPage, typeText } from './browser.mjs';
import { denseModel, newsModel } from './fake_models.mjs';

const slider = (page) => page.getByRole('slider', { name: 'Budget' });
const twoModels = { models: [newsModel(), denseModel()] };

test('dragging the slider shows which heads and neurons stay alive, before any text', async () => {
  const { page } = await openPage();
  await slider(page).fill('500');
  await page.getByText('16 of 32 heads, 2,048 of 4,096 FFN neurons.').waitFor();
  const layer = page.locator('.layers li').first();
  assert.equal(await page.locator('.layers li').count(), 4);
  assert.deepEqual(
    await layer.locator('.head').evaluateAll((heads) => heads.map((head) => head.classList.contains('on'))),
    [true, true, true, true, false, false, false, false],
  );
  assert.equal(await layer.locator('.bar-fill').evaluate((fill) => fill.style.width), '50%');
});

test('a budget that was not calibrated is asked for once', async () => {
  const { page, server } = await openPage();
  await slider(page).fill('310');
  await page.getByText('8 of 32 heads').waitFor();
  await slider(page).fill('1000');
  await page.getByText('32 of 32 heads').waitFor();
  await slider(page).fill('310');
  await page.getByText('8 of 32 heads').waitFor();
  const plans = server.asked.filter(({ path }) => path === '/v1/plan');
  assert.deepEqual(plans, [{ path: '/v1/plan', query: '?model=news&budget=0.31' }]);
});

test('the picture follows the budget the server chose', async () => {
  const { page } = await openPage({ scenario: { budget: 0.25 } });
  await page.getByText('Server decides').click();
  await typeText(page);
  await page.getByText('8 of 32 heads').waitFor();
});

test('every layer is described in words for those who do not see it', async () => {
  const { page } = await openPage();
  await slider(page).fill('250');
  await page.getByText('2 of 8 heads, 256 of 1,024 FFN neurons').first().waitFor();
});

test('the curve has a point per measured budget and marks the present one', async () => {
  const { page } = await openPage();
  assert.equal(await page.locator('#curve .point').count(), 5);
  await slider(page).fill('500');
  await page.getByText(/^92\.29\s% right at a budget of 50\s%\.$/).waitFor();
  const centre = (circle) => [circle.getAttribute('cx'), circle.getAttribute('cy')];
  const mark = await page.locator('#curve .mark').evaluate(centre);
  assert.deepEqual(mark, await page.locator('#curve .point').nth(2).evaluate(centre));
  await page.getByText('agnews:test, 7,600 examples, fp32, 2026').waitFor();
});

test('between two measured budgets the accuracy is only about right', async () => {
  const { page } = await openPage();
  await slider(page).fill('625');
  await page.getByText(/^About 92\.4\s% right at a budget of 62\.5\s%\.$/).waitFor();
});

test('outside of what was measured the page does not guess', async () => {
  const model = newsModel();
  model.scores.curve = model.scores.curve.filter((point) => point.budget >= 0.5);
  const { page } = await openPage({ scenario: { models: [model] } });
  await slider(page).fill('250');
  await page.getByText(/^Not measured at a budget of 25\s%\.$/).waitFor();
  assert.equal(await page.locator('#curve .mark').count(), 0);
});

test('a curve of one point is still a curve', async () => {
  const model = newsModel();
  model.scores.curve = model.scores.curve.slice(-1);
  const { page, troubles } = await openPage({ scenario: { models: [model] } });
  await page.getByText(/^92\.72\s% right/).waitFor();
  assert.equal(await page.locator('#curve .point').count(), 1);
  assert.deepEqual(troubles, []);
});

test('other outputs have the curve of what they are judged by', async () => {
  const model = newsModel();
  model.scores.measure = 'f1';
  const { page } = await openPage({ scenario: { models: [model] } });
  await page.getByRole('heading', { name: 'Measured f1' }).waitFor();
  await slider(page).fill('500');
  await page.getByText(/^f1 0\.923 at a budget of 50\s%\.$/).waitFor();
});

test('one model needs no choice', async () => {
  const { page } = await openPage();
  await page.getByText('news · 4 layers · 8 heads · 7.4 M parameters · fp32').waitFor();
  assert.equal(await page.getByLabel('Model', { exact: true }).isVisible(), false);
});

test('of several models the chosen one is asked', async () => {
  const { page } = await openPage({ scenario: twoModels });
  assert.equal(await page.getByLabel('Model', { exact: true }).inputValue(), 'news');
  await typeText(page);
  const asked = page.waitForRequest((request) => request.postDataJSON()?.model === 'intents');
  await page.getByLabel('Model', { exact: true }).selectOption('intents');
  await asked;
  await page.getByText('144 of 144 heads').waitFor();
});

test('a model without budgets shows no slider', async () => {
  const { page } = await openPage({ scenario: { models: [denseModel()] } });
  await page.getByText('This model always runs whole').waitFor();
  assert.equal(await slider(page).isVisible(), false);
  await typeText(page);
});

test('a model without scores says how to measure them', async () => {
  const { page } = await openPage({ scenario: { models: [denseModel()] } });
  await page.getByText('headroom eval --model DIR --data SPEC --save').waitFor();
});

test('of many labels the likeliest eight are drawn, best first', async () => {
  const { page } = await openPage({ scenario: { models: [denseModel()] } });
  await typeText(page);
  assert.equal(await page.locator('#scores li').count(), 8);
  const first = page.locator('#scores li').first();
  assert.equal(await first.locator('.name').textContent(), await page.locator('#headline').textContent());
});
