// Whose key is in use and what is left of its quotas. Nothing where the server has no file of keys.
import * as api from './api';
import type { Key, Quota } from './contract';
import { byId, element } from './dom';
import { count, seconds, unknown } from './format';

const section = byId('quota-section', HTMLElement);
const list = byId('quotas', HTMLDListElement);

interface Fact {
  value: HTMLElement;
  hint: HTMLElement;
  track: HTMLElement;
  fill: HTMLElement;
}

function makeFact(name: string): Fact {
  const fill = element('span', { class: 'bar-fill' });
  const fact = {
    value: element('dd', {}, unknown),
    hint: element('dd', { class: 'hint' }),
    track: element('span', { class: 'bar', 'aria-hidden': 'true' }, fill),
    fill,
  };
  list.append(element('div', {}, element('dt', {}, name), fact.value, fact.hint, fact.track));
  return fact;
}

const name = makeFact('Name');
const priority = makeFact('Priority');
const requests = makeFact('Requests left');
const compute = makeFact('Compute left');

function show(fact: Fact, value: string, hint = '', part: number | null = null): void {
  fact.value.textContent = value;
  fact.hint.textContent = hint;
  fact.hint.hidden = hint === '';
  fact.track.hidden = part === null;
  fact.fill.style.width = `${100 * (part ?? 0)}%`;
}

function showQuota(fact: Fact, quota: Quota | null | undefined, unit: (amount: number) => string): void {
  if (!quota) {
    show(fact, 'no limit');
    return;
  }
  const left = Math.max(0, quota.left);
  const owed = quota.left < 0 ? `${unit(-quota.left)} owed, ` : '';
  show(fact, unit(left), `${owed}of ${unit(quota.per_minute)} a minute`, Math.min(1, left / quota.per_minute));
}

const whenItRuns = { high: 'before others', normal: '', low: 'after others' };

function showKey(key: Key): void {
  section.hidden = key.name === null;
  show(name, key.name ?? '', key.read_only ? 'may look, not ask' : '');
  show(priority, key.priority, whenItRuns[key.priority]);
  showQuota(requests, key.requests, (amount) => count(Math.floor(amount)));
  showQuota(compute, key.compute_seconds, seconds);
}

/** Where no key is in use, nobody is asked; what cannot be had is left as it was. */
export async function refreshQuotas(signal: AbortSignal): Promise<void> {
  if (api.apiKey.get() === '') return;
  const key = await api.key(signal).catch(() => null);
  if (key && !signal.aborted) showKey(key);
}
