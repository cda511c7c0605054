// What the page opens with, and how the slider goes together with the other ways to say what may be spent.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPage, typeText } from './browser.mjs';
import { autoModel, namesModel, newsModel } from './fake_models.mjs';

const slider = (page) => page.getByRole('slider', { name: 'Budget' });
const chosen = (page) => page.locator('input[name=spend]:checked');
const sentTo = (page, path) => {
  const sent = [];
  page.on('request', (request) => request.url().endsWith(path) && sent.push(request.postDataJSON()));
  return sent;
};

test('the page opens at the budget in force, and the first text gets it', async () => {
  const { page } = await openPage({ scenario: { live: { budget: 0.375 }, budget: 0.375 } });
  const sent = sentTo(page, '/v1/classify');
  await page.locator('#budget-value', { hasText: /^37\.5\s%$/ }).waitFor();
  assert.equal(await slider(page).inputValue(), '375');
  assert.equal(await chosen(page).inputValue(), 'server');
  await page.getByText('12 of 32 heads').waitFor();
  await typeText(page);
  assert.equal('budget' in sent.at(-1), false);
});

test('the slider follows what the server spent, and stays there once it is moved', async () => {
  const { page, server } = await openPage({ scenario: { budget: 0.5 } });
  const sent = sentTo(page, '/v1/classify');
  await typeText(page);
  assert.equal(await slider(page).inputValue(), '500');
  await slider(page).press('ArrowLeft');
  assert.equal(await chosen(page).inputValue(), 'budget');
  await page.locator('.answer:not(.old)').waitFor();
  assert.equal(sent.at(-1).budget, 0.495);
  server.scenario.budget = 0.25;
  await typeText(page, 'another text');
  assert.equal(await slider(page).inputValue(), '495');
});

test('a model with a policy can be asked for what each text needs', async () => {
  const { page, troubles } = await openPage({ scenario: { models: [autoModel()] } });
  const sent = sentTo(page, '/v1/classify');
  await page.getByText('Auto', { exact: true }).click();
  await typeText(page);
  assert.equal(sent.at(-1).budget, 'auto');
  await page.locator('#budget-value', { hasText: /^3\.1\s%$/ }).waitFor();
  await page.getByText('4 of 32 heads').waitFor(); // the last rung that ran, an eighth
  assert.equal(await page.locator('#curve .mark').count(), 0); // no point of that curve
  assert.deepEqual(troubles, []);
});

test('a text that the model was not needed for says so', async () => {
  const { page, troubles } = await openPage({ scenario: { models: [autoModel()], rungs: [0] } });
  await page.getByText('Auto', { exact: true }).click();
  await typeText(page);
  await page.getByText('None: the n-grams in front of the model were sure.').waitFor();
  assert.equal(await page.locator('.head.on').count(), 0);
  assert.equal(await page.locator('#curve-summary').textContent(), '');
  assert.deepEqual(troubles, []);
});

test('a model without a policy is not offered auto', async () => {
  const { page } = await openPage();
  await page.getByText('7.4 M parameters').waitFor();
  assert.equal(await page.getByText('Auto', { exact: true }).isVisible(), false);
});

test('from a model with a policy to one without, auto gives way to the server', async () => {
  const { page } = await openPage({ scenario: { models: [autoModel(), newsModel()] } });
  await page.getByText('Auto', { exact: true }).click();
  await page.getByLabel('Model', { exact: true }).selectOption('news');
  assert.equal(await chosen(page).inputValue(), 'server');
  await typeText(page);
});

test('a budget goes along from tab to tab', async () => {
  const { page } = await openPage({ scenario: { models: [newsModel(), namesModel()] } });
  const sent = sentTo(page, '/v1/tag');
  await slider(page).fill('250');
  await page.getByRole('tab', { name: 'Tag' }).click();
  await page.getByLabel('Text to tag').fill('Ada');
  await page.locator('.answer:not(.empty):not(.old)').waitFor();
  assert.equal(sent.at(-1).budget, 0.25);
});
