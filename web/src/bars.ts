// Rows of a name, a bar and a value.
import { element } from './dom';

export interface Bar {
  row: HTMLLIElement;
  name: HTMLSpanElement;
  track: HTMLSpanElement;
  fill: HTMLSpanElement;
  value: HTMLSpanElement;
}

export function makeBar(): Bar {
  const name = element('span', { class: 'name' });
  const fill = element('span', { class: 'bar-fill' });
  const track = element('span', { class: 'bar', 'aria-hidden': 'true' }, fill);
  const value = element('span', { class: 'value' });
  return { row: element('li', {}, name, track, value), name, track, fill, value };
}

/** `length` from 0 to 1. */
export function drawBar(bar: Bar, name: string, length: number, value: string, best: boolean): void {
  bar.name.textContent = name;
  bar.value.textContent = value;
  bar.fill.style.width = `${100 * length}%`;
  bar.row.classList.toggle('best', best);
}
