// The one line that says what went wrong, and in the reader's words.
import { Refusal } from './api';
import type { Spend } from './contract';
import { byId } from './dom';

const line = byId('notice', HTMLParagraphElement);

/** Whole seconds; a server that is full always says when to come back, a proxy in between may not. */
function retrySeconds(refusal: Refusal): number {
  return Math.max(1, Math.ceil(refusal.retryAfter ?? 1));
}

/** It is the key that waits, not the server that is full: the message names both key and quota. */
const isQuota = (refusal: Refusal): boolean => refusal.code === 'quota_exceeded';

/** Not even an idle server could: it says so, or what waits would be done in time. */
function isTooShort(refusal: Refusal, spend: Spend): boolean {
  if (!('latency_ms' in spend) || isQuota(refusal)) return false;
  if (refusal.code === 'deadline_unreachable') return true;
  return refusal.status === 429 && refusal.retryAfter !== null && 1000 * refusal.retryAfter < spend.latency_ms;
}

/** Whether, and after how many seconds, the same question may get an answer. */
export function worthAnotherTry(problem: unknown, spend: Spend): number | null {
  if (!(problem instanceof Refusal) || problem.status !== 429 || isTooShort(problem, spend)) return null;
  return retrySeconds(problem);
}

export function describe(problem: unknown, spend: Spend = {}): string {
  if (!(problem instanceof Refusal)) return 'The server’s answer could not be read.';
  if (isTooShort(problem, spend)) return 'This time limit is too short, even at the smallest budget.';
  if (isQuota(problem)) return `The ${problem.message}; retry in ${retrySeconds(problem)} s.`;
  if (problem.status === 429) return `Server is full, retry in ${retrySeconds(problem)} s.`;
  if (problem.status === 401) return 'The server did not accept this key.';
  if (problem.status === 503) return 'The server is starting or shutting down and takes no texts now.';
  return problem.message;
}

export function showNotice(message: string): void {
  line.textContent = message;
  line.hidden = false;
}

export function clearNotice(): void {
  line.hidden = true;
  line.textContent = '';
}
