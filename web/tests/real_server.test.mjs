// The page on `headroom serve`, where it has been built: what the fake server promises is true.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';

import { enterKey, keepPicture, openPage, root, typeText } from './browser.mjs';

const program = process.env.HEADROOM_PROGRAM ?? `${root}build/bin/headroom`;
const built = spawnSync(program, ['serve', '--help']).status === 0;
const skip = built ? false : `${program} has no server`;

const folder = mkdtempSync(join(tmpdir(), 'headroom-page-'));
after(() => rmSync(folder, { recursive: true }));

/** A checkpoint with budgets of a tiny model with random weights: with those, any order of its heads will do. */
function importNested(name) {
  const out = join(folder, name);
  spawnSync(program, ['import', '--from', `${root}tests/data/hf/${name}`, '--out', out]);
  const file = join(out, 'config.json');
  const config = JSON.parse(readFileSync(file));
  const order = [0, 1, 2, 3].flatMap(() => ['h0', 'h1', 'h2']);
  writeFileSync(file, JSON.stringify({ ...config, headroom: { ...config.headroom, method: 'nested', order } }));
  return out;
}

async function startServer(...options) {
  const model = `news=${root}models/news-mini`;
  const child = spawn(program, ['serve', '--model', model, '--port', '0', '--json', ...options]);
  for await (const line of createInterface({ input: child.stdout })) {
    return { url: `${JSON.parse(line).listening}/`, close: () => child.kill() };
  }
  throw new Error('the server ended before it was ready');
}

test('text, budget, picture, curve and live panel fit the real server', { skip }, async () => {
  const { page, troubles } = await openPage({ server: await startServer() });
  await page.getByRole('slider', { name: 'Budget' }).fill('310');
  await typeText(page, 'Goalkeeper saves two penalties to send the champions into the final');
  await keepPicture(page, 'real-server');
  assert.equal(await page.locator('#headline').textContent(), 'Sports');
  assert.match(await page.locator('#times').innerText(), /Budget\s+31\s%/);
  assert.doesNotMatch(await page.locator('#times').innerText(), /–|NaN|undefined/);
  assert.equal(await page.locator('.layers li').count(), 4);
  await page.getByText(/^About 9\d\.\d\s% right at a budget of 31\s%\.$/).waitFor();
  await page.getByText(/^[1-9]\d* answered, 0 refused, 0 abandoned since the start$/).waitFor();
  assert.equal(await page.getByRole('alert').isVisible(), false);
  assert.deepEqual(troubles, []);
});

test('every tab asks the real server for what it draws', { skip }, async () => {
  const names = { names: 'bert-ner', vectors: 'bert-embed-mean', ranker: 'bert-rerank', flags: 'bert-multilabel' };
  const models = Object.entries(names).flatMap(([name, from]) => ['--model', `${name}=${importNested(from)}`]);
  const { page, troubles } = await openPage({ server: await startServer(...models) });
  await page.getByRole('slider', { name: 'Budget' }).fill('500');
  const drawn = { Tag: '#tagged', Compare: '#matrix .self', Rank: '#ranking li', Classify: '#scores .best' };
  for (const [tab, part] of Object.entries(drawn)) {
    await page.getByRole('tab', { name: tab }).click();
    await page.getByRole('button', { name: 'Try an example' }).click();
    await page.locator('.answer:not(.empty):not(.old)').waitFor();
    await page.locator(part).first().waitFor();
    assert.match(await page.locator('#times').innerText(), /Budget\s+50\s%/, tab);
    assert.doesNotMatch(await page.locator('#times').innerText(), /–|NaN|undefined/, tab);
  }
  await page.getByRole('tab', { name: 'Tag' }).click();
  await page.getByLabel('Text to tag').fill('🎾 Angela Merkel visited Zürich with Roger Federer yesterday afternoon in Basel');
  await page.locator('#tagged mark').first().waitFor();
  await page.getByRole('button', { name: 'flags' }).click();
  assert.equal(await page.locator('#scores li').count(), 4);
  await page.getByRole('row', { name: 'ranker' }).getByText('1', { exact: true }).waitFor();
  assert.deepEqual(troubles, []);
});

test('under a deadline the page opens with what the server would spend', { skip }, async () => {
  const { page } = await openPage({ server: await startServer('--slo-ms', '500', '--budget', '0.5') });
  await page.locator('#budget-value', { hasText: /^50\s%$/ }).waitFor();
  await typeText(page);
  assert.match(await page.locator('#times').innerText(), /Budget\s+50\s%/);
});

test('with all the time in the world the whole model is used', { skip }, async () => {
  const { page } = await openPage({ server: await startServer() });
  await page.getByText('Time limit').click();
  await page.getByLabel('Answer within').fill('5000');
  await typeText(page);
  assert.match(await page.locator('#times').innerText(), /Budget\s+100\s%/);
});

test('when the server decides, its own budget is used', { skip }, async () => {
  const { page } = await openPage({ server: await startServer('--budget', '0.5') });
  await page.getByText('Server decides').click();
  await typeText(page);
  assert.match(await page.locator('#times').innerText(), /Budget\s+50\s%/);
});

test('a key is asked for, and a limit nobody can keep is told', { skip }, async () => {
  const { page } = await openPage({ server: await startServer('--api-key', 'open sesame') });
  await enterKey(page, 'open sesame');
  await page.getByText('7.4 M parameters').waitFor();
  await page.getByText('Time limit').click();
  await page.getByLabel('Answer within').fill('0.05');
  await page.getByLabel('Text to classify').fill('word '.repeat(100));
  await page.getByRole('alert').getByText('This time limit is too short').waitFor();
});

test('a key of a file sees its quotas go down', { skip }, async () => {
  const file = join(folder, 'keys.jsonl');
  const rules = ['--priority', 'high', '--requests-per-minute', '6', '--compute-seconds-per-minute', '30'];
  const made = spawnSync(program, ['key', '--file', file, '--name', 'search', ...rules], { encoding: 'utf8' });
  const { page } = await openPage({ server: await startServer('--api-keys', file) });
  await enterKey(page, made.stdout.trim());
  const panel = page.getByRole('region', { name: 'Your key' });
  await panel.getByText('6', { exact: true }).waitFor();
  assert.match(await panel.innerText(), /search\s+Priority\s+high/);
  assert.match(await panel.innerText(), /30\ss\s+of 30\ss a minute/);
  await typeText(page);
  await panel.getByText('5', { exact: true }).waitFor();
});
