// Debian's Chromium with a page on a fake server, closed again after each test.
import { after, afterEach } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

import { startFakeServer } from './fake_server.mjs';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
let browser;
const open = [];

after(() => browser?.close());
afterEach(async () => {
  for (const { context, server } of open.splice(0)) {
    await context.close();
    server.close();
  }
});

/** A page on a fake server of its own, or on the one given. `troubles` collects console errors and requests to elsewhere. */
export async function openPage({ scenario = {}, view = {}, server: given = null } = {}) {
  browser ??= await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const server = given ?? (await startFakeServer(scenario));
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...view });
  open.push({ context, server });
  const page = await context.newPage();
  const troubles = [];
  page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
  page.on('pageerror', (problem) => troubles.push(problem.message));
  page.on('request', (request) => {
    const local = request.url().startsWith(server.url) || request.url().startsWith('data:');
    if (!local) troubles.push(`asked for ${request.url()}`);
  });
  await page.goto(server.url);
  return { page, server, troubles, context };
}

/** Gives the server the key that it asks for. */
export async function enterKey(page, key) {
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
}

export const headline = 'Oil prices fell for a third day as traders weighed demand';

/** Types a text and waits for its answer. */
export async function typeText(page, text = headline) {
  await page.getByLabel('Text to classify').fill(text);
  await page.locator('.answer:not(.empty):not(.old)').waitFor();
}

export async function keepPicture(page, name) {
  const path = `${root}build/page-screenshots/${name}.png`;
  await page.screenshot({ path, fullPage: true, animations: 'disabled' });
}
