// The tabs: one for each output that some model of this server has. A single one needs no tabs.
import { byId, element } from './dom';
import type { View } from './views/view';

const list = byId('tabs', HTMLDivElement);
const panel = byId('panel', HTMLDivElement);

let buttons: HTMLButtonElement[] = [];

const nameOf = (button: HTMLButtonElement): string => button.id.replace('tab-', '');

const makeTab = (view: View): HTMLButtonElement =>
  element('button', { type: 'button', role: 'tab', id: `tab-${view.name}`, 'aria-controls': 'panel' }, view.title);

export function offerTabs(views: View[]): void {
  buttons = views.length > 1 ? views.map(makeTab) : [];
  list.replaceChildren(...buttons);
  list.hidden = buttons.length === 0;
  if (list.hidden) panel.removeAttribute('role');
  else panel.setAttribute('role', 'tabpanel');
}

export function markTab(view: View): void {
  for (const button of buttons) {
    const chosen = nameOf(button) === view.name;
    button.setAttribute('aria-selected', String(chosen));
    button.tabIndex = chosen ? 0 : -1; // Tab goes to the chosen one, arrows go between them
    if (chosen) panel.setAttribute('aria-labelledby', button.id);
  }
}

const steps: Record<string, (at: number) => number> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  Home: () => 0,
  End: () => -1,
};

export function onTab(chosen: (name: string) => void): void {
  list.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLButtonElement) chosen(nameOf(target));
  });
  list.addEventListener('keydown', (event) => {
    const at = buttons.findIndex((button) => button === event.target);
    const next = steps[event.key]?.(at);
    if (next === undefined) return;
    event.preventDefault();
    const button = buttons[(next + buttons.length) % buttons.length];
    button?.focus();
    button?.click();
  });
}
