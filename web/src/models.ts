// Which model is asked, and the line of facts about it. The choice is only shown when there is one.
import type { Model } from './contract';
import { byId, element } from './dom';
import { parameters } from './format';

const facts = byId('model-facts', HTMLParagraphElement);
const choice = byId('model-choice', HTMLDivElement);
const select = byId('model', HTMLSelectElement);

function drawFacts(model: Model, alone: boolean): void {
  const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;
  facts.textContent = [
    ...(alone ? [model.name] : []),
    plural(model.layers, 'layer'),
    plural(model.heads, 'head'),
    `${parameters(model.parameters)} parameters`,
    model.precision,
  ].join(' · ');
}

/** `able`: the models that can do what is asked for. */
export function showModel(model: Model, able: Model[]): void {
  select.replaceChildren(...able.map(({ name }) => element('option', { value: name }, name)));
  select.value = model.name;
  choice.hidden = able.length < 2;
  drawFacts(model, choice.hidden);
}

export function onChoice(chosen: (name: string) => void): void {
  select.addEventListener('change', () => chosen(select.value));
}
