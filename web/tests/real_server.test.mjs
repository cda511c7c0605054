// The page on `headroom serve`, where it has been built: what the fake server promises is true.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { keepPicture, openPage, root, typeText } from './browser.mjs';

const program = process.env.HEADROOM_PROGRAM ?? `${root}build/bin/headroom`;
const built = spawnSync(program, ['serve', '--help']).status === 0;
const skip = built ? false : `${program} has no server`;

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
  assert.equal(await page.locator('#label').textContent(), 'Sports');
  assert.match(await page.locator('#times').innerText(), /Budget\s+31\s%/);
  assert.doesNotMatch(await page.locator('#times').innerText(), /–|NaN|undefined/);
  assert.equal(await page.locator('.layers li').count(), 4);
  await page.getByText(/^About 9\d\.\d\s% right at a budget of 31\s%\.$/).waitFor();
  await page.getByText(/^[1-9]\d* answered, 0 refused, 0 abandoned since the start$/).waitFor();
  assert.equal(await page.getByRole('alert').isVisible(), false);
  assert.deepEqual(troubles, []);
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
  await page.getByLabel('API key').fill('open sesame');
  await page.keyboard.press('Enter');
  await page.getByText('7.4 M parameters').waitFor();
  await page.getByText('Time limit').click();
  await page.getByLabel('Answer within').fill('0.05');
  await page.getByLabel('Text to classify').fill('word '.repeat(100));
  await page.getByRole('alert').getByText('This time limit is too short').waitFor();
});
