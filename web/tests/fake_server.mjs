// Stands in for `headroom serve`: hands out the built page and answers as docs/serving.md promises.
// A scenario says how this server behaves; tests change it while the page is open.
//   node tests/fake_server.mjs [PORT]    to look at the page by hand, with load going up and down
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { answersOf, pathOf } from './fake_answers.mjs';
import { denseModel, oneOfEach, planOf, newsModel } from './fake_models.mjs';
import { fakeLive } from './fake_load.mjs';

const pageFile = fileURLToPath(new URL('../../src/server/api/page/index.html', import.meta.url));

export const calm = {
  models: [newsModel()],
  key: null, // an API key to insist on
  rules: null, // what that key may do and has left, of a server with a file of keys
  refusal: null, // { status, code, message, retryAfter } instead of every answer
  live: {}, // what the live panel is told besides
  load: 0, // 0 to 1: how busy the live panel says the server is
  budget: 1, // what the server spends when it decides
  rungs: [0, 0.125], // what runs for "budget": "auto"
  hold: null, // (text) => Promise, to keep answers back
};

function budgetFor(scenario, model, { budget, latency_ms }) {
  if (model.budgets.length === 1) return 1;
  if (budget === 'auto') return 0.031;
  if (budget !== undefined) return budget;
  if (latency_ms !== undefined) return latency_ms >= 1 ? 1 : Math.max(0.125, latency_ms);
  return scenario.budget;
}

function result(scenario, model, request) {
  const budget = budgetFor(scenario, model, request);
  const cost = { budget, active_heads: budget, active_ffn: budget, ...(request.budget === 'auto' ? { rungs: scenario.rungs } : {}) };
  const answers = answersOf(model, request).map((answer) => ({ ...answer, ...cost }));
  const inference = 0.08 + 0.9 * budget;
  const times = { queue_ms: 0.031, inference_ms: inference, predicted_ms: inference * 1.07 };
  return { model: model.name, answers, ...times, total_ms: inference + 0.06 };
}

function errorBody(code, message, retryAfter) {
  const error = { code, message, type: code };
  return { error: retryAfter === undefined ? error : { ...error, retry_after_seconds: retryAfter } };
}

async function bodyOf(request) {
  let text = '';
  for await (const piece of request) text += piece;
  return text === '' ? {} : JSON.parse(text);
}

async function answer(scenario, request, url) {
  const authorized = scenario.key === null || request.headers.authorization === `Bearer ${scenario.key}`;
  if (!authorized) return [401, errorBody('unauthorized', 'a key is needed')];
  const body = await bodyOf(request);
  const name = body.model ?? url.searchParams.get('model');
  const model = name ? scenario.models.find((candidate) => candidate.name === name) : scenario.models[0];
  if (url.pathname === '/v1/key') return [200, scenario.rules ?? { name: null, priority: 'normal' }];
  if (url.pathname === '/v1/models') return [200, { models: scenario.models }];
  if (!model) return [404, errorBody('not_found', `model "${name}" is not served here`)];
  if (url.pathname === '/v1/plan') return [200, planOf(model, Number(url.searchParams.get('budget')))];
  if (url.pathname === '/v1/live') return [200, { ...fakeLive(scenario.load), ...scenario.live }];
  if (url.pathname !== pathOf(model)) return [422, errorBody('unprocessable', `ask ${pathOf(model)}`)];
  if (body.budget === 'auto' && !model.auto) return [422, errorBody('unprocessable', 'budget auto needs a policy')];
  if (scenario.hold) await scenario.hold(body.inputs[0].text);
  if (!scenario.refusal) return [200, result(scenario, model, body)];
  const { status, code, message, retryAfter } = scenario.refusal;
  return [status, errorBody(code, message, retryAfter)];
}

/** Starts on any port; `asked` lists every request, `scenario` may be changed at any time. */
export async function startFakeServer(changes = {}, port = 0) {
  const asked = [];
  const fake = { asked, scenario: { ...calm, ...changes } };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://localhost');
    asked.push({ path: url.pathname, query: url.search });
    if (url.pathname === '/') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(readFileSync(pageFile));
      return;
    }
    const [status, body] = await answer(fake.scenario, request, url);
    const wait = body.error?.retry_after_seconds;
    const headers = { 'content-type': 'application/json', ...(wait ? { 'retry-after': wait } : {}) };
    response.writeHead(status, headers).end(JSON.stringify(body));
  });
  await new Promise((ready) => server.listen(port, '127.0.0.1', ready));
  fake.url = `http://127.0.0.1:${server.address().port}/`;
  fake.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return fake;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const models = [...oneOfEach(), denseModel()];
  const fake = await startFakeServer({ models }, Number(process.argv[2] ?? 8080));
  setInterval(() => (fake.scenario.load = 0.5 + 0.5 * Math.sin(Date.now() / 8000)), 500);
  console.log(fake.url);
}
