// Puts the parts together: text and spend go to the server, the answer comes back into the page.
import './styles/index.css';

import { prepareAlive, showAlive } from './alive';
import { clearAnswer, markOld, prepareAnswer, showAnswer } from './answer';
import * as api from './api';
import type { Classified, Model, Spend } from './contract';
import { markCurve, prepareCurve } from './curve';
import { byId } from './dom';
import { askForKey, keyAccepted, onKey } from './key';
import { debounced, Latest } from './latest';
import { LivePanel } from './live';
import { offer, onChoice, showFacts } from './models';
import { clearNotice, describe, showNotice, worthAnotherTry } from './notice';
import { planFor } from './plans';
import { onSpend, readSpend, showSpend, sliderBudget } from './spend';

const text = byId('text', HTMLTextAreaElement);
const pair = byId('pair', HTMLTextAreaElement);
const pairField = byId('pair-field', HTMLDivElement);
const pairToggle = byId('pair-toggle', HTMLButtonElement);

let models: Model[] = [];
let model: Model | undefined;
let retryTimer = 0;

const loading = new Latest();
const asking = new Latest();
const planning = new Latest();
const live = new LivePanel(needKey, ask);

// Long enough to skip letters inside a word, short enough to feel like typing.
const askSoon = debounced(ask, 120);

function needKey(): void {
  live.stop();
  if (api.apiKey.get() !== '') showNotice(describe(new api.Refusal('', 401)));
  askForKey();
}

function fail(problem: unknown, spend: Spend = {}): void {
  if (problem instanceof api.Refusal && problem.status === 401) {
    needKey();
    return;
  }
  showNotice(describe(problem, spend));
  const seconds = worthAnotherTry(problem, spend);
  if (seconds !== null) retryTimer = window.setTimeout(ask, 1000 * seconds);
}

function showBudget(budget: number): void {
  const asked = model;
  if (!asked) return;
  markCurve(budget);
  void planning.run(
    (signal) => planFor(asked, budget, signal),
    (plan) => showAlive(asked, plan),
    fail,
  );
}

function show(asked: Model, result: Classified): void {
  clearNotice();
  const answer = result.answers[0];
  if (!answer) return;
  showAnswer(asked, result, answer);
  showBudget(answer.budget);
}

function ask(): void {
  clearTimeout(retryTimer);
  askSoon.cancel();
  const asked = model;
  const spend = readSpend();
  if (!asked) return;
  if (text.value.trim() === '') {
    asking.cancel();
    clearNotice();
    clearAnswer(asked);
    return;
  }
  if (!spend) {
    showNotice('The time limit is a number of milliseconds, from 0.05 to 10000.');
    return;
  }
  const second = pairField.hidden || pair.value.trim() === '' ? null : pair.value;
  void asking.run(
    (signal) => api.classify(asked.name, text.value, second, spend, signal),
    (result) => show(asked, result),
    (problem) => fail(problem, spend),
  );
}

function changed(): void {
  markOld(text.value.trim() !== '');
  askSoon.soon();
}

function choose(chosen: Model): void {
  model = chosen;
  showFacts(chosen, models.length === 1);
  showSpend(chosen);
  prepareAnswer(chosen);
  prepareAlive(chosen);
  prepareCurve(chosen);
  showBudget(1);
  live.watch(chosen.name);
  ask();
}

function load(): void {
  const again = 2000; // milliseconds between tries while the server is away or starting
  void loading.run(
    api.models,
    (listed) => {
      clearNotice();
      keyAccepted();
      models = listed;
      const preferred = offer(models);
      if (preferred) choose(preferred);
      else showNotice('The server has no model.');
    },
    (problem) => {
      fail(problem);
      if (!(problem instanceof api.Refusal && problem.status === 401)) window.setTimeout(load, again);
    },
  );
}

text.addEventListener('input', changed);
pair.addEventListener('input', changed);
pairToggle.addEventListener('click', () => {
  pairField.hidden = !pairField.hidden;
  pairToggle.setAttribute('aria-expanded', String(!pairField.hidden));
  pairToggle.textContent = pairField.hidden ? 'Add a second text' : 'Without the second text';
  if (!pairField.hidden) pair.focus();
  ask();
});
onSpend(() => {
  const budget = sliderBudget();
  if (budget !== null) showBudget(budget);
  changed();
});
onChoice((name) => {
  const chosen = models.find((candidate) => candidate.name === name);
  if (chosen) choose(chosen);
});
onKey(load);
load();
