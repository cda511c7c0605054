// One label, several labels or a number for a text.
import { drawBar, makeBar, type Bar } from '../bars';
import type { Answer, Model, Result } from '../contract';
import { byId, element } from '../dom';
import { decimal, percent, share, unknown } from '../format';
import type { Shown, View } from './view';

const text = byId('text', HTMLTextAreaElement);
const pair = byId('pair', HTMLTextAreaElement);
const pairField = byId('pair-field', HTMLDivElement);
const pairToggle = byId('pair-toggle', HTMLButtonElement);
const list = byId('scores', HTMLUListElement);

// With more labels than this, of which one is given, only the likeliest are drawn, best first. With
// fewer, all of them in the model's order, so that bars move and rows do not.
const mostBars = 8;

// Longer names get a line of their own above their bar: 14 letters fill the column beside it.
const longName = 14;

let bars: Bar[] = [];

const givesSeveral = (model: Model): boolean => model.task === 'multilabel';

function likeliest(answer: Answer, labels: string[]): string[] {
  if (bars.length === labels.length) return labels;
  const score = (name: string): number => answer.scores?.[name] ?? 0;
  return [...labels].sort((a, b) => score(b) - score(a)).slice(0, bars.length);
}

/** Where a label begins to be given: a tick on its bar, and words beside it. */
function drawThreshold(bar: Bar, threshold: number): void {
  const tick = element('span', { class: 'tick' });
  tick.style.left = `${100 * threshold}%`;
  bar.track.append(tick);
  bar.row.append(element('span', { class: 'threshold' }, `from ${share(threshold)}`));
}

// A pair is two texts always, a number may be about one or two, every other label is one text's.
function preparePair(model: Model): void {
  if (model.task === 'pair') pairField.hidden = false;
  else if (model.task !== 'regress') pairField.hidden = true;
  pairToggle.hidden = model.task !== 'regress';
  drawToggle();
}

function drawToggle(): void {
  pairToggle.setAttribute('aria-expanded', String(!pairField.hidden));
  pairToggle.textContent = pairField.hidden ? 'Add a second text' : 'Without the second text';
}

pairToggle.addEventListener('click', () => {
  pairField.hidden = !pairField.hidden;
  drawToggle();
  if (!pairField.hidden) pair.focus();
  pair.dispatchEvent(new Event('input', { bubbles: true })); // the question is another now
});

function prepare(model: Model): void {
  const drawn = model.task === 'regress' ? [] : model.labels;
  bars = drawn.slice(0, givesSeveral(model) ? drawn.length : mostBars).map(makeBar);
  bars.forEach((bar, i) => drawBar(bar, drawn[i] ?? '', 0, unknown, false));
  list.replaceChildren(...bars.map((bar) => bar.row));
  list.classList.toggle('long', drawn.some((name) => name.length > longName));
  list.classList.toggle('several', model.thresholds !== undefined);
  model.thresholds?.forEach((threshold, i) => {
    const bar = bars[i];
    if (bar) drawThreshold(bar, threshold);
  });
  preparePair(model);
}

function question(model: Model): object | null {
  const second = pairField.hidden || pair.value.trim() === '' ? null : pair.value;
  if (text.value.trim() === '' || (model.task === 'pair' && second === null)) return null;
  return { inputs: [second === null ? { text: text.value } : { text: text.value, text_pair: second }] };
}

function show(model: Model, { answers: [answer] }: Result): Shown {
  if (answer?.score !== undefined) return { headline: decimal(answer.score), spoken: decimal(answer.score) };
  const given = answer?.labels ?? (answer?.label === undefined ? [] : [answer.label]);
  const scores = answer?.scores ?? {};
  if (answer) {
    likeliest(answer, model.labels).forEach((name, i) => {
      const bar = bars[i];
      if (bar) drawBar(bar, name, scores[name] ?? 0, percent(scores[name] ?? 0, 1), given.includes(name));
    });
  }
  const headline = given.length === 0 ? 'None' : given.join(', ');
  const sure = given.map((name) => `${name}, ${percent(scores[name] ?? 0, 0)}`);
  return { headline, spoken: given.length === 0 ? 'None of the labels' : sure.join(', ') };
}

export const classify: View = {
  name: 'classify',
  title: 'Classify',
  asks: 'Text',
  empty: 'No text yet',
  path: 'v1/classify',
  tasks: ['classify', 'pair', 'synthetic', 'multilabel', 'regress'],
  prepare,
  question,
  show,
  fillExample: () => {
    text.value = 'Oil prices fell for a third day as traders weighed demand';
    pair.value = 'Crude became cheaper';
  },
};
