// Asks the server. Every failure becomes a Refusal that says what to tell the reader.
import type { Key, Live, Model, Plan, Result, Spend } from './contract';

export class Refusal extends Error {
  constructor(
    message: string,
    readonly status: number, // 0: no answer at all
    readonly retryAfter: number | null = null, // seconds
    readonly code = '', // the server's name for it
  ) {
    super(message);
  }
}

const keyName = 'headroom-api-key';

/** The tab's own storage: gone with the tab, unseen by other pages. */
export const apiKey = {
  get: (): string => sessionStorage.getItem(keyName) ?? '',
  set: (key: string): void => sessionStorage.setItem(keyName, key),
};

function headers(withBody: boolean): Record<string, string> {
  const key = apiKey.get();
  return {
    ...(withBody ? { 'content-type': 'application/json' } : {}),
    ...(key ? { authorization: `Bearer ${key}` } : {}),
  };
}

async function refusalFrom(response: Response): Promise<Refusal> {
  const body: unknown = await response.json().catch(() => null);
  const error = (body as { error?: { code?: string; message?: string; retry_after_seconds?: number } } | null)?.error;
  const header = Number(response.headers.get('retry-after') ?? NaN);
  const seconds = error?.retry_after_seconds ?? (Number.isFinite(header) ? header : null);
  const message = error?.message ?? `The server answered ${response.status}.`;
  return new Refusal(message, response.status, seconds, error?.code);
}

// Paths are relative, so that the page also works behind a proxy that serves it under a prefix.
async function ask<T>(path: string, signal: AbortSignal, body?: unknown): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: headers(body !== undefined),
      cache: 'no-store',
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (problem) {
    if (signal.aborted) throw problem;
    throw new Refusal('The server does not answer.', 0);
  }
  if (!response.ok) throw await refusalFrom(response);
  return (await response.json()) as T;
}

const named = (model: string): string => `model=${encodeURIComponent(model)}`;

export async function models(signal: AbortSignal): Promise<Model[]> {
  return (await ask<{ models: Model[] }>('v1/models', signal)).models;
}

export function plan(model: string, budget: number, signal: AbortSignal): Promise<Plan> {
  return ask(`v1/plan?${named(model)}&budget=${budget}`, signal);
}

export function live(model: string, signal: AbortSignal): Promise<Live> {
  return ask(`v1/live?${named(model)}`, signal);
}

export function key(signal: AbortSignal): Promise<Key> {
  return ask('v1/key', signal);
}

/** `question` is what a tab asks: inputs, and options of its path. */
export function answer(
  path: string,
  model: string,
  question: object,
  spend: Spend,
  signal: AbortSignal,
): Promise<Result> {
  return ask(path, signal, { model, ...question, ...spend });
}
