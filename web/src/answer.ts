// The answer: label, scores as bars, times.
import type { Answer, Classified, Model } from './contract';
import { byId, element } from './dom';
import { count, milliseconds, percent, share, unknown } from './format';
import { debounced } from './latest';

const section = byId('answer-title', HTMLHeadingElement).parentElement;
const label = byId('label', HTMLParagraphElement);
const list = byId('scores', HTMLUListElement);
const times = byId('times', HTMLDListElement);
const announcement = byId('announcement', HTMLParagraphElement);

// With more labels than this, only the likeliest are drawn, best first. With fewer, all of them in
// the model's order, so that bars move and rows do not.
const mostBars = 8;

// Longer names get a line of their own above their bar: 14 letters fill the column beside it.
const longName = 14;

interface Bar {
  row: HTMLLIElement;
  name: HTMLSpanElement;
  fill: HTMLSpanElement;
  value: HTMLSpanElement;
}

let bars: Bar[] = [];

function makeBar(): Bar {
  const name = element('span', { class: 'name' });
  const fill = element('span', { class: 'bar-fill' });
  const value = element('span', { class: 'value' });
  const row = element('li', {}, name, element('span', { class: 'bar', 'aria-hidden': 'true' }, fill), value);
  return { row, name, fill, value };
}

function drawBar(bar: Bar, name: string, score: number | null, best: boolean): void {
  bar.name.textContent = name;
  bar.value.textContent = score === null ? unknown : percent(score, 1);
  bar.fill.style.width = `${100 * (score ?? 0)}%`;
  bar.row.classList.toggle('best', best);
}

function drawTimes(entries: [string, string][]): void {
  times.replaceChildren(
    ...entries.map(([name, value]) =>
      element('div', {}, element('dt', {}, name), element('dd', {}, value)),
    ),
  );
}

// Screen readers hear the end of a burst of typing, not every letter of it.
let sentence = '';
const announce = debounced(() => (announcement.textContent = sentence), 600);

function likeliest(answer: Answer, labels: string[]): string[] {
  if (labels.length <= mostBars) return labels;
  const score = (name: string): number => answer.scores[name] ?? 0;
  return [...labels].sort((a, b) => score(b) - score(a)).slice(0, mostBars);
}

export function prepareAnswer(model: Model): void {
  bars = Array.from({ length: Math.min(model.labels.length, mostBars) }, makeBar);
  list.replaceChildren(...bars.map((bar) => bar.row));
  section?.classList.toggle('long', model.labels.some((name) => name.length > longName));
  clearAnswer(model);
}

export function clearAnswer(model: Model): void {
  announce.cancel();
  announcement.textContent = '';
  section?.classList.add('empty');
  markOld(false);
  label.textContent = 'No text yet';
  bars.forEach((bar, i) => drawBar(bar, model.labels[i] ?? '', null, false));
  drawTimes(['Budget', 'Queue', 'Inference', 'Predicted', 'Tokens'].map((name) => [name, unknown]));
}

/** An answer to an older question stays readable, but is marked as old until the new one comes. */
export function markOld(old: boolean): void {
  section?.classList.toggle('old', old);
}

export function showAnswer(model: Model, result: Classified, answer: Answer): void {
  section?.classList.remove('empty');
  markOld(false);
  label.textContent = answer.label;
  likeliest(answer, model.labels).forEach((name, i) => {
    const bar = bars[i];
    if (bar) drawBar(bar, name, answer.scores[name] ?? 0, name === answer.label);
  });
  drawTimes([
    ['Budget', share(answer.budget)],
    ['Queue', milliseconds(result.queue_ms)],
    ['Inference', milliseconds(result.inference_ms)],
    ['Predicted', milliseconds(result.predicted_ms)],
    ['Tokens', count(answer.tokens)],
  ]);
  const sure = percent(answer.scores[answer.label] ?? 0, 0);
  sentence = `${answer.label}, ${sure}, ${milliseconds(result.inference_ms)} at budget ${share(answer.budget)}`;
  announce.soon();
}
