// Which heads and which share of the FFN of each layer were alive: heads as squares, FFN as a bar.
import type { Model, Plan } from './contract';
import { byId, element } from './dom';
import { count } from './format';

const picture = byId('alive', HTMLDivElement);
const summary = byId('alive-summary', HTMLParagraphElement);

interface LayerRow {
  heads: HTMLElement[];
  fill: HTMLElement;
  words: HTMLElement;
}

let rows: LayerRow[] = [];

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

function makeRow(layer: number, heads: number): { row: HTMLElement; parts: LayerRow } {
  const squares = Array.from({ length: heads }, () => element('i', { class: 'head' }));
  const fill = element('i', { class: 'bar-fill' });
  const words = element('span', { class: 'unseen' });
  const row = element(
    'li',
    {},
    element('span', { class: 'layer', 'aria-hidden': 'true' }, String(layer + 1)),
    element('span', { class: 'heads', 'aria-hidden': 'true' }, ...squares),
    element('span', { class: 'bar', 'aria-hidden': 'true' }, fill),
    words,
  );
  return { row, parts: { heads: squares, fill, words } };
}

export function prepareAlive(model: Model): void {
  const made = Array.from({ length: model.layers }, (_, layer) => makeRow(layer, model.heads));
  rows = made.map(({ parts }) => parts);
  const titles = ['Layer', 'Heads', 'FFN'].map((title) => element('span', {}, title));
  picture.replaceChildren(
    element('div', { class: 'layer-titles', 'aria-hidden': 'true' }, ...titles),
    element('ol', { class: 'layers' }, ...made.map(({ row }) => row)),
  );
  // Twelve heads and more need smaller squares to leave the bars room on a phone.
  picture.classList.toggle('many', model.heads > 8);
}

export function showAlive(model: Model, plan: Plan): void {
  rows.forEach((row, layer) => {
    const kept = new Set(plan.kept_heads[layer] ?? []);
    const neurons = plan.ffn[layer] ?? 0;
    row.heads.forEach((square, head) => square.classList.toggle('on', kept.has(head)));
    row.fill.style.width = `${(100 * neurons) / model.ffn}%`;
    row.words.textContent = `${kept.size} of ${model.heads} heads, ${count(neurons)} of ${count(model.ffn)} FFN neurons`;
  });
  const heads = `${count(sum(plan.heads))} of ${count(model.layers * model.heads)} heads`;
  const neurons = `${count(sum(plan.ffn))} of ${count(model.layers * model.ffn)} FFN neurons`;
  const unneeded = 'None: the n-grams in front of the model were sure.';
  summary.textContent = plan.budget === 0 ? unneeded : `${heads}, ${neurons}.`;
}
