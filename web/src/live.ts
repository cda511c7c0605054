// What the server is doing now: five tiles, asked for once a second while somebody can see them.
import * as api from './api';
import type { Live } from './contract';
import { byId, element } from './dom';
import { count, milliseconds, rate, share } from './format';
import { Latest } from './latest';
import { sparkline } from './sparkline';

const tiles = byId('tiles', HTMLDivElement);
const totals = byId('totals', HTMLParagraphElement);
const state = byId('live-state', HTMLSpanElement);

const period = 1000; // milliseconds
const fewOthers = 4;
const longestWait = 8000; // between tries while the server is away

interface Tile {
  name: string;
  value: string;
  beside: string;
  samples: (number | null)[];
  top?: number;
}

function drawTile({ name, value, beside, samples, top }: Tile): HTMLElement {
  return element(
    'div',
    { class: 'tile' },
    element('h3', {}, name),
    element('p', { class: 'figure' }, value),
    element('p', { class: 'hint' }, beside),
    sparkline(samples, top),
  );
}

// A time or budget of 0 says that there was nothing to measure: a gap, not a zero.
const measured = (value: number): number | null => (value > 0 ? value : null);

function tilesOf(live: Live, queued: number[]): Tile[] {
  const rates = live.history.map((second) => second.requests_per_second);
  const peak = Math.max(0, ...rates);
  return [
    {
      name: 'Requests/s',
      value: rate(live.requests_per_second),
      beside: `peak ${rate(peak)}`,
      samples: rates,
    },
    {
      name: 'p99',
      value: milliseconds(measured(live.p99_ms)),
      beside: `p50 ${milliseconds(measured(live.p50_ms))}`,
      samples: live.history.map((second) => measured(second.p99_ms)),
    },
    {
      name: 'Budget in use',
      value: share(live.budget),
      beside: `mean ${share(measured(live.mean_budget))}`,
      samples: live.history.map((second) => measured(second.budget)),
      top: 1,
    },
    {
      name: 'Queue',
      value: count(live.queue),
      beside: `of ${count(live.queue_limit)}`,
      samples: queued,
    },
    {
      name: 'Refused/s',
      value: count(live.history.at(-1)?.refused ?? 0),
      beside: `${count(live.refused)} since the start`,
      samples: live.history.map((second) => second.refused),
    },
  ];
}

interface Listener {
  unauthorized: () => void; // the server wants a key; the polling ends
  back: () => void; // it answers after a silence
  gone: () => void; // it no longer has the model
  told: (model: string, live: Live) => void;
  polled: (signal: AbortSignal) => void; // the server is being asked: what else may be asked now
}

export class LivePanel {
  #model = '';
  #others: string[] = []; // asked a few at a time, so that many models are not many requests
  #timer = 0;
  #wait = period;
  #silent = false;
  #queued: number[] = []; // the server keeps no history of its queue, so the page does
  readonly #latest = new Latest();

  constructor(private readonly listener: Listener) {
    document.addEventListener('visibilitychange', () => (document.hidden ? this.stop() : this.#poll()));
  }

  watch(model: string, all: string[]): void {
    this.stop();
    this.#model = model;
    this.#others = all.filter((name) => name !== model);
    this.#queued = [];
    this.#poll();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#latest.cancel();
  }

  #poll(): void {
    if (this.#model === '' || document.hidden) return;
    clearTimeout(this.#timer);
    const few = this.#others.splice(0, fewOthers);
    this.#others.push(...few);
    void this.#latest.run(
      async (signal) => {
        for (const name of few) void this.#askAbout(name, signal);
        this.listener.polled(signal);
        return api.live(this.#model, signal);
      },
      (live) => this.#show(live),
      (problem) => this.#fail(problem),
    );
  }

  /** Of a model that is not chosen: what cannot be had is left as it was. */
  async #askAbout(model: string, signal: AbortSignal): Promise<void> {
    const live = await api.live(model, signal).catch(() => null);
    if (live && !signal.aborted) this.listener.told(model, live);
  }

  #later(): void {
    this.#timer = window.setTimeout(() => this.#poll(), this.#wait);
  }

  #show(live: Live): void {
    this.listener.told(this.#model, live);
    this.#queued = [...this.#queued, live.queue].slice(-60);
    tiles.replaceChildren(...tilesOf(live, this.#queued).map(drawTile));
    totals.textContent = `${count(live.answered)} answered, ${count(live.refused)} refused, ${count(live.abandoned)} abandoned since the start`;
    state.textContent = live.draining ? 'shutting down' : 'the last minute';
    this.#wait = period;
    if (this.#silent) this.listener.back();
    this.#silent = false;
    this.#later();
  }

  #fail(problem: unknown): void {
    if (problem instanceof api.Refusal && problem.status === 401) {
      this.listener.unauthorized();
      return;
    }
    this.#wait = Math.min(2 * this.#wait, longestWait);
    if (problem instanceof api.Refusal && problem.status === 404) {
      state.textContent = 'the server has this model no more';
      this.#timer = window.setTimeout(this.listener.gone, this.#wait);
      return;
    }
    state.textContent = 'the server does not answer';
    this.#silent = true;
    this.#later();
  }
}
