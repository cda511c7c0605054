// The tabs beside classification: which there are, what they ask, what they draw.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPage } from './browser.mjs';
import { denseModel, namesModel, newsModel, oneOfEach, rankerModel, vectorsModel } from './fake_models.mjs';

const tabs = (page) => page.getByRole('tab').allTextContents();
const headline = (page) => page.locator('#headline').textContent();
const answered = (page) => page.locator('.answer:not(.empty):not(.old)').waitFor();
const only = (model) => ({ scenario: { models: [model] } });

function lastSent(page) {
  const sent = [];
  page.on('request', (request) => request.method() === 'POST' && sent.push(request));
  return () => ({ path: new URL(sent.at(-1).url()).pathname, ...sent.at(-1).postDataJSON() });
}

test('there is a tab for every output that some model has', async () => {
  const all = await openPage({ scenario: { models: oneOfEach() } });
  await all.page.getByRole('tab').first().waitFor();
  assert.deepEqual(await tabs(all.page), ['Classify', 'Tag', 'Compare', 'Rank']);
  const two = await openPage({ scenario: { models: [rankerModel(), namesModel()] } });
  await two.page.getByRole('tab').first().waitFor();
  assert.deepEqual(await tabs(two.page), ['Tag', 'Rank']);
});

test('one output needs no tabs', async () => {
  const { page } = await openPage({ scenario: { models: [newsModel(), denseModel()] } });
  await page.getByText('7.4 M parameters').waitFor();
  assert.equal(await page.getByRole('tablist').isVisible(), false);
  assert.equal(await page.getByRole('tabpanel').count(), 0);
});

test('the first tab is the default model’s, unless the address names another', async () => {
  const models = [{ ...rankerModel(), default: true }, { ...newsModel(), default: false }];
  const { page, server } = await openPage({ scenario: { models } });
  await page.getByRole('tab', { name: 'Rank', selected: true }).waitFor();
  await page.goto(`${server.url}#classify`);
  await page.getByRole('tab', { name: 'Classify', selected: true }).waitFor();
  await page.reload();
  await page.getByRole('tab', { name: 'Classify', selected: true }).waitFor();
  await page.goto(`${server.url}#nonsense`);
  await page.reload();
  await page.getByRole('tab', { name: 'Rank', selected: true }).waitFor();
});

test('a tab keeps its text and its model while another is looked at', async () => {
  const models = [newsModel(), denseModel(), namesModel()];
  const { page } = await openPage({ scenario: { models } });
  await page.getByLabel('Model', { exact: true }).selectOption('intents');
  await page.getByLabel('Text to classify').fill('rain');
  await page.getByRole('tab', { name: 'Tag' }).click();
  assert.equal(await headline(page), 'No text yet');
  await page.getByRole('tab', { name: 'Classify' }).click();
  assert.equal(await page.getByLabel('Model', { exact: true }).inputValue(), 'intents');
  assert.equal(await page.getByLabel('Text to classify').inputValue(), 'rain');
  await answered(page);
});

test('names are marked in the text as it stands, whatever is in front of them', async () => {
  const { page } = await openPage(only(namesModel()));
  const sent = lastSent(page);
  const text = '🎾 so\n Ada met Bo in Zürich  today';
  await page.getByLabel('Text to tag').fill(text);
  await answered(page);
  assert.equal(sent().path, '/v1/tag');
  assert.equal(await headline(page), '3 found');
  const marks = page.locator('#tagged mark');
  assert.deepEqual(await marks.allTextContents(), ['Ada PER', 'Bo LOC', 'Zürich ORG']);
  const rest = await page.locator('#tagged').evaluate((shown) => {
    const copy = shown.cloneNode(true);
    for (const kind of copy.querySelectorAll('.kind')) kind.previousSibling.remove(), kind.remove();
    return copy.textContent;
  });
  assert.equal(rest, text);
});

test('each kind of name has its colour, in the text and in the legend', async () => {
  const { page } = await openPage(only(namesModel()));
  await page.getByLabel('Text to tag').fill('Ada met Bo in Zürich with Cy');
  await answered(page);
  const colour = (nodes) => nodes.map((node) => getComputedStyle(node).backgroundColor);
  const marked = await page.locator('#tagged mark').evaluateAll(colour);
  assert.equal(new Set(marked.slice(0, 3)).size, 3);
  assert.equal(marked[3], marked[0]); // both PER
  assert.deepEqual(await page.locator('#legend i').evaluateAll(colour), marked.slice(0, 3));
  assert.deepEqual(await page.locator('#legend li').allTextContents(), ['PER 2', 'LOC 1', 'ORG 1']);
  assert.match(await page.getByRole('row', { name: 'Zürich' }).textContent(), /ZürichORG90\.0\s%/);
});

test('a text without names says so, and has no empty table', async () => {
  const { page } = await openPage(only(namesModel()));
  await page.getByLabel('Text to tag').fill('rain');
  await answered(page);
  assert.equal(await headline(page), 'Nothing found');
  assert.equal(await page.getByRole('table', { name: 'What was found' }).isVisible(), false);
});

test('sentences are compared two by two', async () => {
  const { page } = await openPage(only(vectorsModel()));
  const sent = lastSent(page);
  await page.getByLabel('Sentences to compare').fill('ab\n\n  cd \nba\nabcd');
  await answered(page);
  assert.deepEqual(sent().inputs, ['ab', 'cd', 'ba', 'abcd']);
  assert.equal(sent().path, '/v1/embed');
  const rows = await page.locator('#matrix tbody tr').evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)),
  );
  assert.deepEqual(rows, [
    ['1.00', '0.00', '1.00', '0.71'],
    ['0.00', '1.00', '0.00', '0.71'],
    ['1.00', '0.00', '1.00', '0.71'],
    ['0.71', '0.71', '0.71', '1.00'],
  ]);
  assert.equal(await headline(page), '1 and 3 are closest');
  await page.getByRole('rowheader', { name: '4 abcd' }).waitFor();
});

test('one sentence is not compared with anything', async () => {
  const { page } = await openPage(only(vectorsModel()));
  const sent = lastSent(page);
  await page.getByLabel('Sentences to compare').fill('ab\ncd');
  await answered(page);
  await page.getByLabel('Sentences to compare').fill('ab\n');
  await page.locator('.answer.empty').waitFor();
  assert.equal(await page.locator('#matrix td').count(), 1); // the corner
  assert.deepEqual(sent().inputs, ['ab', 'cd']);
});

test('vectors may be shorter and have a prompt', async () => {
  const { page } = await openPage(only(vectorsModel()));
  const sent = lastSent(page);
  await page.getByLabel('Sentences to compare').fill('ab\ncd');
  await answered(page);
  assert.deepEqual(Object.keys(sent()).sort(), ['inputs', 'model', 'path']);
  await page.getByLabel('Dimensions').selectOption('16');
  await page.getByLabel('Prompt').selectOption('query');
  await page.locator('.answer:not(.old)').waitFor();
  assert.equal(sent().dimensions, 16);
  assert.equal(sent().prompt, 'query');
});

test('passages are sorted by their scores', async () => {
  const { page } = await openPage(only(rankerModel()));
  const sent = lastSent(page);
  await page.getByRole('textbox', { name: 'Passages' }).fill('rain and snow\nsun\nrain in spain');
  await page.getByRole('textbox', { name: 'Query' }).fill('rain in may');
  await answered(page);
  assert.equal(sent().path, '/v1/rerank');
  assert.equal(sent().query, 'rain in may');
  assert.equal(await headline(page), 'Line 3 is first');
  assert.deepEqual(await page.locator('#ranking .name').allTextContents(), ['rain in spain', 'rain and snow', 'sun']);
  assert.deepEqual(await page.locator('#ranking .value').allTextContents(), ['0.667', '0.333', '0.000']);
});

test('every output is announced in words', async () => {
  const { page } = await openPage({ scenario: { models: oneOfEach() } });
  const said = page.locator('[aria-live=polite]');
  const spoken = { Tag: /^10 found; .*Zürich, /, Compare: /^Sentences \d and \d are closest, similarity 0\.\d\d/, Rank: /^Line \d is first, 0\.\d+: / };
  for (const [tab, words] of Object.entries(spoken)) {
    await page.getByRole('tab', { name: tab }).click();
    await page.getByRole('button', { name: 'Try an example' }).click();
    await said.getByText(words).waitFor({ state: 'attached' });
  }
});
