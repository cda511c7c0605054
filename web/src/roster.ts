// All models of the server with what they do now. One model needs no list: the live panel is about it.
import type { Live, Model } from './contract';
import { byId, element } from './dom';
import { count, parameters, share, unknown } from './format';

const section = byId('roster-section', HTMLElement);
const body = byId('roster', HTMLTableSectionElement);

interface Row {
  row: HTMLTableRowElement;
  button: HTMLButtonElement;
  now: HTMLTableCellElement[]; // budget, queue, answered, refused
}

const rows = new Map<string, Row>();

function makeRow(model: Model): Row {
  const button = element('button', { type: 'button', class: 'quiet', value: model.name }, model.name);
  const now = Array.from({ length: 4 }, () => element('td', {}, unknown));
  const about = [model.task, parameters(model.parameters)].map((words) => element('td', {}, words));
  return { row: element('tr', {}, element('th', { scope: 'row' }, button), ...about, ...now), button, now };
}

export function prepareRoster(models: Model[]): void {
  rows.clear();
  for (const model of models) rows.set(model.name, makeRow(model));
  body.replaceChildren(...[...rows.values()].map(({ row }) => row));
  section.hidden = models.length < 2;
}

export function markRoster(chosen: Model): void {
  for (const [name, { button }] of rows) button.setAttribute('aria-current', String(name === chosen.name));
}

export function showRoster(name: string, live: Live): void {
  const values = [share(live.budget), count(live.queue), count(live.answered), count(live.refused)];
  rows.get(name)?.now.forEach((cell, i) => (cell.textContent = values[i] ?? unknown));
}

export function onRoster(chosen: (name: string) => void): void {
  body.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLButtonElement) chosen(target.value);
  });
}
