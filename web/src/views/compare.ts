// How alike sentences are: the cosine of every two vectors.
import type { Model, Result } from '../contract';
import { byId, element } from '../dom';
import { count } from '../format';
import { linesOf, type Shown, type View } from './view';

const field = byId('sentences', HTMLTextAreaElement);
const matrix = byId('matrix', HTMLTableElement);
const prompt = byId('prompt', HTMLSelectElement);
const promptChoice = byId('prompt-choice', HTMLSpanElement);
const dimensions = byId('dimensions', HTMLSelectElement);

const parts = [1, 2, 4, 8]; // of the dimensions
const fewest = 8;

let asked: string[] = [];

const dot = (a: number[], b: number[]): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);

function cosines(vectors: number[][]): number[][] {
  const lengths = vectors.map((vector) => Math.sqrt(dot(vector, vector)) || 1);
  return vectors.map((a, i) => vectors.map((b, j) => dot(a, b) / ((lengths[i] ?? 1) * (lengths[j] ?? 1))));
}

function cell(value: number, row: number, column: number): HTMLTableCellElement {
  const node = element('td', row === column ? { class: 'self' } : {}, value.toFixed(2));
  if (row !== column) node.style.setProperty('--heat', String(Math.max(0, value).toFixed(3)));
  return node;
}

function draw(values: number[][]): void {
  const number = (i: number): string => String(i + 1);
  const heads = values.map((_, i) => element('th', { scope: 'col' }, number(i)));
  const rows = values.map((row, i) => {
    const words = element('span', {}, asked[i] ?? '');
    const head = element('th', { scope: 'row' }, element('b', {}, number(i)), ' ', words);
    return element('tr', {}, head, ...row.map((value, j) => cell(value, i, j)));
  });
  matrix.replaceChildren(
    element('thead', {}, element('tr', {}, element('td'), ...heads)),
    element('tbody', {}, ...rows),
  );
  matrix.parentElement?.toggleAttribute('hidden', values.length === 0);
}

/** The largest of the values above the diagonal, and where it is. */
function closest(values: number[][]): { value: number; row: number; column: number } {
  const pairs = values.flatMap((row, i) => row.map((value, j) => ({ value, row: i, column: j })));
  return pairs.filter(({ row, column }) => row < column).reduce((best, pair) => (pair.value > best.value ? pair : best));
}

function offer(select: HTMLSelectElement, options: [string, string][]): void {
  const before = select.value;
  select.replaceChildren(...options.map(([value, name]) => element('option', { value }, name)));
  if (options.some(([value]) => value === before)) select.value = before;
}

function prepare(model: Model): void {
  const whole = model.dimensions ?? 0;
  const prompts = model.prompts ?? [];
  const sizes = parts.map((part) => Math.floor(whole / part)).filter((size) => size >= fewest);
  offer(dimensions, sizes.map((size) => [size === whole ? '' : String(size), size === whole ? `all ${count(size)}` : count(size)]));
  offer(prompt, [['', 'the usual'], ...prompts.map((name): [string, string] => [name, name])]);
  promptChoice.hidden = prompts.length === 0;
  draw([]);
}

function question(): object | null {
  const sentences = linesOf(field);
  if (sentences.length < 2) return null;
  asked = sentences;
  return {
    inputs: sentences,
    ...(prompt.value === '' ? {} : { prompt: prompt.value }),
    ...(dimensions.value === '' ? {} : { dimensions: Number(dimensions.value) }),
  };
}

function show(_: Model, { answers }: Result): Shown {
  const values = cosines(answers.map(({ embedding }) => embedding ?? []));
  draw(values);
  const { value, row, column } = closest(values);
  const headline = `${row + 1} and ${column + 1} are closest`;
  return { headline, spoken: `Sentences ${headline}, similarity ${value.toFixed(2)}` };
}

export const compare: View = {
  name: 'compare',
  title: 'Compare',
  asks: 'Sentences',
  empty: 'Not two sentences yet',
  path: 'v1/embed',
  tasks: ['embed'],
  prepare,
  question,
  show,
  fillExample: () => {
    field.value = [
      'The bank raised interest rates again',
      'Borrowing money became more expensive',
      'We had a picnic on the bank of the river',
      'They ate sandwiches by the water',
    ].join('\n');
  },
};
