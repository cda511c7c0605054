// Names in a text: marked where they stand, counted in a legend, listed with their scores.
import type { Entity, Model, Result } from '../contract';
import { byId, element } from '../dom';
import { count, percent } from '../format';
import type { Shown, View } from './view';

const text = byId('tag-text', HTMLTextAreaElement);
const tagged = byId('tagged', HTMLParagraphElement);
const legend = byId('legend', HTMLUListElement);
const list = byId('entities', HTMLTableSectionElement);

const tones = 8; // .tone-0 to .tone-7 (styles/tag.css); more kinds than that share them
const shortLegend = 8; // kinds that are listed although none was found

let kinds: string[] = [];
let asked = ''; // the offsets are into this, whatever is typed meanwhile

/** "B-PER" and "I-PER" are kinds of PER; O is none. */
function kindsOf(labels: string[]): string[] {
  const bare = labels.map((label) => label.replace(/^[BIESLU]-/, ''));
  return [...new Set(bare)].filter((label) => label !== 'O');
}

const toneOf = (kind: string): string => `tone-${Math.max(0, kinds.indexOf(kind)) % tones}`;

function mark(entity: Entity, words: string): HTMLElement {
  const label = element('span', { class: 'kind' }, entity.label);
  return element('mark', { class: toneOf(entity.label) }, words, ' ', label);
}

// Offsets count code points, strings of this language UTF-16 units.
function drawText(entities: Entity[]): void {
  const letters = Array.from(asked);
  const part = (start: number, end?: number): string => letters.slice(start, end).join('');
  const pieces: (Node | string)[] = [];
  let done = 0;
  for (const entity of entities) {
    pieces.push(part(done, entity.start), mark(entity, part(entity.start, entity.end)));
    done = entity.end;
  }
  tagged.replaceChildren(...pieces, part(done));
}

function drawLegend(entities: Entity[]): void {
  const found = (kind: string): number => entities.filter(({ label }) => label === kind).length;
  const listed = kinds.length <= shortLegend ? kinds : kinds.filter((kind) => found(kind) > 0);
  legend.replaceChildren(
    ...listed.map((kind) =>
      element('li', {}, element('i', { class: toneOf(kind) }), kind, ' ', element('span', {}, count(found(kind)))),
    ),
  );
}

function drawList(entities: Entity[]): void {
  list.replaceChildren(
    ...entities.map(({ text: words, label, score }) =>
      element('tr', {}, element('td', {}, words), element('td', {}, label), element('td', {}, percent(score, 1))),
    ),
  );
}

function draw(entities: Entity[]): void {
  drawText(entities);
  drawLegend(entities);
  drawList(entities);
  list.parentElement?.toggleAttribute('hidden', entities.length === 0);
}

export const tag: View = {
  name: 'tag',
  title: 'Tag',
  asks: 'Text',
  empty: 'No text yet',
  path: 'v1/tag',
  tasks: ['tag'],
  prepare: (model: Model) => {
    kinds = kindsOf(model.labels);
    asked = '';
    draw([]);
  },
  question: () => {
    if (text.value.trim() === '') return null;
    asked = text.value;
    return { inputs: [asked] };
  },
  show: (_, { answers: [answer] }: Result): Shown => {
    const entities = answer?.entities ?? [];
    draw(entities);
    const headline = `${entities.length === 0 ? 'Nothing' : count(entities.length)} found`;
    const names = entities.map((entity) => `${entity.text}, ${entity.label}`);
    return { headline, spoken: [headline, ...names].join('; ') };
  },
  fillExample: () => {
    text.value = 'Angela Merkel visited Zürich in May 2019 and spoke to Roger Federer at the Red Cross. Later she flew home to Berlin.';
  },
};
