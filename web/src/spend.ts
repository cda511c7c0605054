// How much a text may cost: a slider, a time, or nothing said.
import type { Model, Spend } from './contract';
import { byId } from './dom';
import { milliseconds, share } from './format';

// The slider counts thousandths in steps of five: 12.5 % and 100 % are both on it, and an arrow key
// moves half a per cent.
const thousandths = 1000;
const step = 5;

type Kind = 'budget' | 'latency' | 'server';

const fieldset = byId('spend', HTMLFieldSetElement);
const oneBudget = byId('one-budget', HTMLParagraphElement);
const slider = byId('budget', HTMLInputElement);
const value = byId('budget-value', HTMLOutputElement);
const least = byId('budget-least', HTMLSpanElement);
const latency = byId('latency', HTMLInputElement);
const latencyHint = byId('latency-hint', HTMLParagraphElement);
const bodies: Record<Kind, HTMLElement> = {
  budget: byId('spend-budget', HTMLDivElement),
  latency: byId('spend-latency', HTMLDivElement),
  server: byId('spend-server', HTMLDivElement),
};

export const isElastic = (model: Model): boolean => model.budgets.length > 1;

function chosenKind(): Kind {
  const radio = fieldset.querySelector<HTMLInputElement>('input[name=spend]:checked');
  return (radio?.value ?? 'budget') as Kind;
}

function drawSlider(): void {
  const [low, high] = [Number(slider.min), Number(slider.max)];
  const text = share(Number(slider.value) / thousandths);
  value.value = text;
  slider.setAttribute('aria-valuetext', `${text} of the compute`);
  slider.style.setProperty('--filled', `${(100 * (Number(slider.value) - low)) / (high - low)}%`);
}

/** What the machine can do, so that nobody has to guess a time. */
function describeLatency(model: Model): string {
  const times = model.budgets.map((plan) => plan.p50_ms_32).filter((ms) => typeof ms === 'number');
  if (times.length === 0) return 'The largest budget that makes it is used.';
  const [fast, slow] = [Math.min(...times), Math.max(...times)];
  return `The largest budget that makes it. A text of 32 tokens takes ${milliseconds(fast)} to ${milliseconds(slow)} here.`;
}

export function showSpend(model: Model): void {
  const elastic = isElastic(model);
  fieldset.hidden = !elastic;
  oneBudget.hidden = elastic;
  const lowest = Math.min(model.min_budget, ...model.budgets.map((plan) => plan.budget));
  slider.min = String(Math.ceil((lowest * thousandths) / step) * step);
  slider.max = String(thousandths);
  slider.step = String(step);
  slider.value = String(thousandths);
  least.textContent = share(Number(slider.min) / thousandths);
  latencyHint.textContent = describeLatency(model);
  drawSlider();
}

/** The budget on the slider, where it is the slider that decides. */
export function sliderBudget(): number | null {
  if (fieldset.hidden || chosenKind() !== 'budget') return null;
  return Number(slider.value) / thousandths;
}

/** What to ask the server for; null while the time typed in is not a time. */
export function readSpend(): Spend | null {
  const budget = sliderBudget();
  if (budget !== null) return { budget };
  if (fieldset.hidden || chosenKind() === 'server') return {};
  return latency.value !== '' && latency.checkValidity() ? { latency_ms: latency.valueAsNumber } : null;
}

export function onSpend(changed: () => void): void {
  fieldset.addEventListener('input', () => {
    for (const [kind, body] of Object.entries(bodies)) body.hidden = kind !== chosenKind();
    drawSlider();
    changed();
  });
}
