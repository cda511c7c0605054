// Only the newest question matters: a new one cancels the one under way, so that a slow old answer
// never overwrites a fast new one.
export class Latest {
  #controller = new AbortController();

  /** Runs `task`; `done` and `failed` are only called while no newer one was started. */
  async run<T>(
    task: (signal: AbortSignal) => Promise<T>,
    done: (result: T) => void,
    failed: (problem: unknown) => void,
  ): Promise<void> {
    this.cancel();
    const { signal } = this.#controller;
    try {
      const result = await task(signal);
      if (!signal.aborted) done(result);
    } catch (problem) {
      if (!signal.aborted) failed(problem);
    }
  }

  cancel(): void {
    this.#controller.abort();
    this.#controller = new AbortController();
  }
}

/** Calls `action` once things have been quiet for `wait` milliseconds. */
export function debounced(action: () => void, wait: number): { soon: () => void; cancel: () => void } {
  let timer = 0;
  const cancel = (): void => clearTimeout(timer);
  const soon = (): void => {
    cancel();
    timer = window.setTimeout(action, wait);
  };
  return { soon, cancel };
}
