// What every answer has, whichever tab draws the rest: a headline, what it cost, and its words for
// those who listen.
import type { Result } from './contract';
import { byId, element } from './dom';
import { count, milliseconds, share, unknown } from './format';
import { debounced } from './latest';
import type { Shown } from './views/view';

const section = byId('answer', HTMLElement);
const headline = byId('headline', HTMLParagraphElement);
const times = byId('times', HTMLDListElement);
const announcement = byId('announcement', HTMLParagraphElement);

const longHeadline = 18; // letters; more are set smaller

function drawTimes(entries: [string, string][]): void {
  times.replaceChildren(
    ...entries.map(([name, value]) =>
      element('div', {}, element('dt', {}, name), element('dd', {}, value)),
    ),
  );
}

function drawHeadline(words: string): void {
  headline.textContent = words;
  headline.classList.toggle('long', words.length > longHeadline);
}

// Screen readers hear the end of a burst of typing, not every letter of it.
let sentence = '';
const announce = debounced(() => (announcement.textContent = sentence), 600);

/** Of several texts the mean. */
export function budgetOf({ answers }: Result): number {
  return answers.reduce((sum, { budget }) => sum + budget, 0) / Math.max(1, answers.length);
}

/** With "auto": the last rung that some text came to, 0 when rung zero was sure of all. */
export function lastRungOf({ answers }: Result): number | null {
  const rungs = answers.flatMap((answer) => answer.rungs ?? []);
  return rungs.length === 0 ? null : Math.max(...rungs);
}

export const hasAnswer = (): boolean => !section.classList.contains('empty');

/** `words` say what there is instead of an answer. */
export function clearAnswer(words: string): void {
  announce.cancel();
  announcement.textContent = '';
  section.classList.add('empty');
  markOld(false);
  drawHeadline(words);
  drawTimes(['Budget', 'Queue', 'Inference', 'Predicted', 'Tokens'].map((name) => [name, unknown]));
}

/** An answer to an older question stays readable, but is marked as old until the new one comes. */
export function markOld(old: boolean): void {
  section.classList.toggle('old', old);
}

export function showAnswer(shown: Shown, result: Result): void {
  section.classList.remove('empty');
  markOld(false);
  drawHeadline(shown.headline);
  const budget = share(budgetOf(result));
  drawTimes([
    ['Budget', budget],
    ['Queue', milliseconds(result.queue_ms)],
    ['Inference', milliseconds(result.inference_ms)],
    ['Predicted', milliseconds(result.predicted_ms)],
    ['Tokens', count(result.answers.reduce((sum, { tokens }) => sum + tokens, 0))],
  ]);
  sentence = `${shown.spoken}, ${milliseconds(result.inference_ms)} at budget ${budget}`;
  announce.soon();
}
