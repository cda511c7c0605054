// Models for the fake server: shapes and scores as a real server tells them.

// A nested model keeps the first heads and neurons of every layer.
export function planOf(model, budget) {
  const alive = (whole) => Math.max(1, Math.round(whole * budget));
  const layers = Array.from({ length: model.layers });
  return {
    budget,
    heads: layers.map(() => alive(model.heads)),
    kept_heads: layers.map(() => Array.from({ length: alive(model.heads) }, (_, head) => head)),
    ffn: layers.map(() => alive(model.ffn)),
    macs_fraction: budget,
    p50_ms_32: 0.05 + 0.5 * budget,
    p50_ms_128: 0.2 + 2 * budget,
  };
}

function model(shape, budgets) {
  const base = { width: 256, max_tokens: 128, scope: 'heads+ffn', precision: 'fp32', min_budget: 0.125 };
  const whole = { ...base, ...shape };
  return { ...whole, budgets: budgets.map((budget) => planOf(whole, budget)) };
}

const eighths = [0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1];

export function newsModel() {
  const accuracies = { 0.125: 0.9187, 0.25: 0.9191, 0.5: 0.9229, 0.75: 0.9253, 1: 0.9272 };
  const curve = Object.entries(accuracies).map(([budget, value]) => ({
    budget: Number(budget),
    value,
    macs_fraction: Number(budget),
  }));
  curve.sort((a, b) => a.budget - b.budget);
  return model(
    {
      name: 'news',
      default: true,
      task: 'classify',
      labels: ['World', 'Sports', 'Business', 'Sci/Tech'],
      layers: 4,
      heads: 8,
      ffn: 1024,
      method: 'nested',
      parameters: 7364612,
      scores: { measure: 'accuracy', data: 'agnews:test', examples: 7600, precision: 'fp32', date: '2026-11-15', curve },
    },
    eighths,
  );
}

// Without scores, without a budget to choose, large, and with more labels than there are bars.
export function denseModel() {
  const labels = Array.from({ length: 77 }, (_, i) => `a_rather_long_intent_name_${i}`);
  const shape = { name: 'intents', task: 'classify', labels, layers: 12, heads: 12, ffn: 3072, method: 'dense' };
  return model({ ...shape, parameters: 109482240, min_budget: 1, scores: null }, [1]);
}

// One model of each other output, small and with budgets.
function small(name, task, facts = {}) {
  const shape = { name, task, labels: [], layers: 3, heads: 4, ffn: 256, method: 'nested', parameters: 88000 };
  return model({ default: false, scores: null, ...shape, ...facts }, eighths);
}

export const namesModel = () => small('names', 'tag', { labels: ['O', 'B-PER', 'I-PER', 'B-LOC', 'I-LOC', 'B-ORG', 'I-ORG'] });
export const vectorsModel = () => small('vectors', 'embed', { dimensions: 64, prompts: ['passage', 'query'] });
export const rankerModel = () => small('ranker', 'rerank', { labels: ['score'] });
export const pairModel = () => small('entails', 'pair', { labels: ['yes', 'no', 'maybe'] });
export const numberModel = () => small('likeness', 'regress', { labels: ['score'] });
export const flagsModel = () =>
  small('flags', 'multilabel', { labels: ['anger', 'joy', 'fear'], thresholds: [0.3, 0.5, 0.8] });
export const autoModel = () => ({ ...newsModel(), name: 'ladder', auto: true });
export const oneOfEach = () => [newsModel(), namesModel(), vectorsModel(), rankerModel(), flagsModel()];
