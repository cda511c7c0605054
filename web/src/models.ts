// Which model is asked, and the line of facts about it. The choice is only shown when there is one.
import type { Model } from './contract';
import { byId, element } from './dom';
import { parameters } from './format';

const facts = byId('model-facts', HTMLParagraphElement);
const choice = byId('model-choice', HTMLDivElement);
const select = byId('model', HTMLSelectElement);

export function showFacts(model: Model, alone: boolean): void {
  const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;
  facts.textContent = [
    ...(alone ? [model.name] : []),
    plural(model.layers, 'layer'),
    plural(model.heads, 'head'),
    `${parameters(model.parameters)} parameters`,
    model.precision,
  ].join(' · ');
}

/** Fills the list and returns the model the server would take by itself. */
export function offer(models: Model[]): Model | undefined {
  const preferred = models.find((model) => model.default) ?? models[0];
  select.replaceChildren(...models.map((model) => element('option', { value: model.name }, model.name)));
  if (preferred) select.value = preferred.name;
  choice.hidden = models.length < 2;
  return preferred;
}

export function onChoice(chosen: (name: string) => void): void {
  select.addEventListener('change', () => chosen(select.value));
}
