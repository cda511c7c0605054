// Puts the parts together: what a tab asks and what it may cost go to the server, the answer comes
// back into the tab.
import './styles/index.css';

import { prepareAlive, showAlive } from './alive';
import { budgetOf, clearAnswer, hasAnswer, lastRungOf, markOld, showAnswer } from './answer';
import * as api from './api';
import type { Live, Model, Result, Spend } from './contract';
import { markCurve, prepareCurve } from './curve';
import { byId } from './dom';
import { askForKey, keyAccepted, onKey } from './key';
import { debounced, Latest } from './latest';
import { LivePanel } from './live';
import { onChoice, showModel } from './models';
import { clearNotice, describe, showNotice, worthAnotherTry } from './notice';
import { planFor } from './plans';
import { refreshQuotas } from './quotas';
import { markRoster, onRoster, prepareRoster, showRoster } from './roster';
import { followBudget, onSpend, readSpend, serverDecides, showSpend, sliderBudget } from './spend';
import { markTab, offerTabs, onTab } from './tabs';
import { drawingOf, fieldsOf, type View } from './views/view';
import { views } from './views/views';

const forms = byId('forms', HTMLDivElement);
const asks = byId('ask-title', HTMLHeadingElement);
const example = byId('example', HTMLButtonElement);

let models: Model[] = [];
let open: { view: View; model: Model } | undefined;
let retryTimer = 0;

const loading = new Latest();
const asking = new Latest();
const planning = new Latest();
const live = new LivePanel({
  unauthorized: needKey,
  back: ask,
  gone: load,
  told: showLive,
  polled: (signal) => void refreshQuotas(signal),
});

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

/** What is spent, and what of the model runs for it. The curve is of flat budgets, not of ladders. */
function showBudget(budget: number, lastRung: number | null = null): void {
  if (!open) return;
  const { model } = open;
  followBudget(budget);
  markCurve(lastRung === null ? budget : null);
  void planning.run(
    (signal) => planFor(model, lastRung ?? budget, signal),
    (plan) => showAlive(model, plan),
    fail,
  );
}

// Until there is an answer that tells what it got, the budget in force is what it would get.
function showLive(name: string, state: Live): void {
  showRoster(name, state);
  if (name === open?.model.name && serverDecides() && !hasAnswer()) showBudget(state.budget);
}

function ask(): void {
  clearTimeout(retryTimer);
  askSoon.cancel();
  if (!open) return;
  const { view, model } = open;
  const question = view.question(model);
  const spend = readSpend();
  example.hidden = question !== null;
  if (question === null) {
    asking.cancel();
    clearNotice();
    view.prepare(model);
    clearAnswer(view.empty);
    return;
  }
  if (!spend) {
    showNotice('The time limit is a number of milliseconds, from 0.05 to 10000.');
    return;
  }
  const show = (result: Result): void => {
    clearNotice();
    showAnswer(view.show(model, result), result);
    showBudget(budgetOf(result), lastRungOf(result));
  };
  void asking.run(
    (signal) => api.answer(view.path, model.name, question, spend, signal),
    show,
    (problem) => fail(problem, spend),
  );
}

function changed(): void {
  markOld(hasAnswer());
  askSoon.soon();
}

const ableModels = (view: View): Model[] => models.filter(({ task }) => view.tasks.includes(task));

function choose(view: View, model: Model): void {
  open = { view, model };
  asks.textContent = view.asks;
  for (const each of views) {
    fieldsOf(each).hidden = each !== view;
    drawingOf(each).hidden = each !== view;
  }
  markTab(view);
  markRoster(model);
  showModel(model, ableModels(view));
  showSpend(model);
  view.prepare(model);
  clearAnswer(view.empty);
  prepareAlive(model);
  prepareCurve(model);
  showBudget(sliderBudget() ?? 1);
  live.watch(model.name, models.map(({ name }) => name));
  ask();
}

const viewOf = (model: Model): View | undefined => views.find(({ tasks }) => tasks.includes(model.task));

function chooseModel(name: string): void {
  const model = models.find((candidate) => candidate.name === name);
  const view = model && viewOf(model);
  if (!model || !view) return;
  history.replaceState(null, '', `#${view.name}`);
  choose(view, model);
}

const lastModel = new Map<string, Model>(); // of each tab

function chooseTab(name: string): void {
  if (open) lastModel.set(open.view.name, open.model);
  const view = views.find((candidate) => candidate.name === name);
  const able = view ? ableModels(view) : [];
  const model = lastModel.get(name) ?? able.find((candidate) => candidate.default) ?? able[0];
  if (model) chooseModel(model.name);
}

/** The address may name a tab; otherwise the server's default model says what is done first. */
function chooseFirst(): void {
  lastModel.clear();
  chooseTab(location.hash.slice(1));
  if (open) return;
  const preferred = models.find((model) => model.default) ?? models[0];
  if (preferred) chooseModel(preferred.name);
}

function load(): void {
  const again = 2000; // milliseconds between tries while the server is away or starting
  void loading.run(
    api.models,
    (listed) => {
      clearNotice();
      keyAccepted();
      models = listed.filter(viewOf);
      open = undefined;
      offerTabs(views.filter((view) => ableModels(view).length > 0));
      prepareRoster(models);
      if (models.length > 0) chooseFirst();
      else showNotice('The server has no model.');
    },
    (problem) => {
      fail(problem);
      if (!(problem instanceof api.Refusal && problem.status === 401)) window.setTimeout(load, again);
    },
  );
}

forms.addEventListener('input', changed);
example.addEventListener('click', () => {
  if (!open) return;
  open.view.fillExample();
  fieldsOf(open.view).querySelector<HTMLElement>('textarea, input')?.focus();
  ask();
});
onSpend(() => {
  const budget = sliderBudget();
  if (budget !== null) showBudget(budget);
  changed();
});
onTab(chooseTab);
onRoster(chooseModel);
onChoice(chooseModel);
window.addEventListener('hashchange', () => chooseTab(location.hash.slice(1)));
onKey(load);
load();
