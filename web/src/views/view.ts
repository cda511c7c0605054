// What every tab is made of: fields to ask with, and a drawing of the answer.
import type { Model, Result, Task } from '../contract';
import { byId } from '../dom';

export interface Shown {
  headline: string;
  spoken: string; // the answer in words, without its cost
}

export interface View {
  name: string; // after # in the address; its fields are #ask-NAME, its drawing is #answer-NAME
  title: string; // on the tab
  asks: string; // above the fields
  empty: string; // instead of an answer, as long as there is no question
  path: string; // that answers
  tasks: Task[]; // of the models that can
  prepare(model: Model): void; // the fields, and a drawing without an answer
  question(model: Model): object | null; // null: nothing to ask yet
  show(model: Model, result: Result): Shown;
  fillExample(): void;
}

export const fieldsOf = (view: View): HTMLElement => byId(`ask-${view.name}`, HTMLDivElement);
export const drawingOf = (view: View): HTMLElement => byId(`answer-${view.name}`, HTMLDivElement);

/** A text a line; lines of spaces are none. */
export const linesOf = (field: HTMLTextAreaElement): string[] =>
  field.value.split('\n').map((line) => line.trim()).filter((line) => line !== '');
