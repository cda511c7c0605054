// How much a text may cost: what the server thinks right, a share, what each text needs, or a time.
// The slider shows the budget in force in all four, and moving it chooses a share.
import type { Model, Spend } from './contract';
import { byId } from './dom';
import { milliseconds, share } from './format';

// The slider counts thousandths in steps of five: 12.5 % and 100 % are both on it, and an arrow key
// moves half a per cent.
const thousandths = 1000;
const step = 5;

type Kind = 'server' | 'budget' | 'auto' | 'latency';

const fieldset = byId('spend', HTMLFieldSetElement);
const oneBudget = byId('one-budget', HTMLParagraphElement);
const autoChoice = byId('auto-choice', HTMLLabelElement);
const slider = byId('budget', HTMLInputElement);
const value = byId('budget-value', HTMLOutputElement);
const least = byId('budget-least', HTMLSpanElement);
const latencyField = byId('spend-latency', HTMLParagraphElement);
const latency = byId('latency', HTMLInputElement);
const hint = byId('spend-hint', HTMLParagraphElement);

let asked: Model | undefined;

export const isElastic = (model: Model): boolean => model.budgets.length > 1;

const radio = (kind: Kind): HTMLInputElement | null =>
  fieldset.querySelector<HTMLInputElement>(`input[name=spend][value=${kind}]`);

function choose(kind: Kind): void {
  const button = radio(kind);
  if (button) button.checked = true;
}

function chosenKind(): Kind {
  const chosen = fieldset.querySelector<HTMLInputElement>('input[name=spend]:checked');
  return (chosen?.value ?? 'server') as Kind;
}

/** What the machine can do, so that nobody has to guess a time. */
function describeLatency(): string {
  const times = (asked?.budgets ?? []).map((plan) => plan.p50_ms_32).filter((ms) => typeof ms === 'number');
  if (times.length === 0) return 'The largest budget that makes it is used.';
  const [fast, slow] = [Math.min(...times), Math.max(...times)];
  return `The largest budget that makes it. A text of 32 tokens takes ${milliseconds(fast)} to ${milliseconds(slow)} here.`;
}

const hints: Record<Kind, () => string> = {
  server: () => 'The server’s own budget: all it can afford, and less when it is busy.',
  budget: () => 'Exactly this much of every layer.',
  auto: () => 'What each text needs: the model stops as soon as it is sure.',
  latency: describeLatency,
};

function drawKind(): void {
  latencyField.hidden = chosenKind() !== 'latency';
  hint.textContent = hints[chosenKind()]();
}

function drawSlider(budget: number): void {
  const [low, high] = [Number(slider.min), Number(slider.max)];
  const text = share(budget);
  value.value = text;
  slider.setAttribute('aria-valuetext', `${text} of the compute`);
  slider.style.setProperty('--filled', `${(100 * (Number(slider.value) - low)) / (high - low)}%`);
}

/** What is left of the choice made for another model stays. */
export function showSpend(model: Model): void {
  const elastic = isElastic(model);
  asked = model;
  fieldset.hidden = !elastic;
  oneBudget.hidden = elastic;
  autoChoice.hidden = model.auto !== true;
  if (autoChoice.hidden && chosenKind() === 'auto') choose('server');
  const lowest = Math.min(model.min_budget, ...model.budgets.map((plan) => plan.budget));
  slider.min = String(Math.ceil((lowest * thousandths) / step) * step);
  slider.max = String(thousandths);
  slider.step = String(step);
  least.textContent = share(Number(slider.min) / thousandths);
  if (chosenKind() !== 'budget') slider.value = String(thousandths);
  drawSlider(Number(slider.value) / thousandths);
  drawKind();
}

/** Shows a budget that somebody else decided on. */
export function followBudget(budget: number): void {
  if (chosenKind() === 'budget') return;
  slider.value = String(budget * thousandths);
  drawSlider(budget);
}

export const serverDecides = (): boolean => fieldset.hidden || chosenKind() === 'server';

/** The budget on the slider, where it is the slider that decides. */
export function sliderBudget(): number | null {
  if (fieldset.hidden || chosenKind() !== 'budget') return null;
  return Number(slider.value) / thousandths;
}

/** What to ask the server for; null while the time typed in is not a time. */
export function readSpend(): Spend | null {
  const budget = sliderBudget();
  if (budget !== null) return { budget };
  if (serverDecides()) return {};
  if (chosenKind() === 'auto') return { budget: 'auto' };
  return latency.value !== '' && latency.checkValidity() ? { latency_ms: latency.valueAsNumber } : null;
}

export function onSpend(changed: () => void): void {
  fieldset.addEventListener('input', (event) => {
    if (event.target === slider) choose('budget');
    const budget = sliderBudget();
    if (budget !== null) drawSlider(budget);
    drawKind();
    changed();
  });
}
