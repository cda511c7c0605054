// What a server tells about itself at a load from 0 to 1: busier means faster arrivals, longer times
// and a smaller budget. Where nothing was answered, times and budgets are 0.

const second = (load, age) => {
  const wave = Math.max(0, load * (1 + 0.15 * Math.sin(age / 3) - age / 90));
  return {
    age_s: age,
    requests_per_second: Math.round(1200 * wave),
    p99_ms: wave === 0 ? 0 : 2 + 16 * wave,
    budget: wave === 0 ? 0 : Math.max(0.125, 1 - 0.8 * wave),
    refused: 0,
  };
};

export function fakeLive(load) {
  const history = Array.from({ length: 60 }, (_, i) => second(load, 59 - i));
  const now = history.at(-1);
  return {
    queue: Math.round(40 * load),
    queue_limit: 512,
    requests_per_second: now.requests_per_second,
    p50_ms: now.p99_ms / 3,
    p99_ms: now.p99_ms,
    budget: now.budget || 1,
    min_budget: 0.125,
    mean_budget: now.budget && (1 + now.budget) / 2,
    refused: load > 0.9 ? 12 : 0,
    answered: 12345,
    abandoned: 1,
    draining: false,
    history,
  };
}
