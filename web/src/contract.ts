// The server's JSON, as docs/serving.md promises it. Only what the page reads.

/** What is alive at one budget, and what it costs. */
export interface Plan {
  budget: number;
  heads: number[]; // alive, per layer
  kept_heads: number[][]; // which ones, per layer
  ffn: number[]; // neurons alive, per layer
  macs_fraction: number; // of the dense model
  p50_ms_32?: number | null; // a text of 32 tokens on this machine
  p50_ms_128?: number | null;
}

export interface CurvePoint {
  budget: number;
  accuracy: number; // 0 to 1
  macs_fraction: number;
}

export interface Scores {
  data: string;
  examples: number;
  precision: string;
  date: string;
  curve: CurvePoint[];
}

export interface Model {
  name: string;
  default: boolean;
  labels: string[];
  layers: number;
  heads: number;
  ffn: number;
  max_tokens: number;
  method: string;
  precision: string;
  parameters: number;
  min_budget: number;
  budgets: Plan[]; // the calibrated ones; a single one when the model has no budget to choose
  scores: Scores | null;
}

export interface Answer {
  label: string;
  scores: Record<string, number>;
  budget: number;
  tokens: number;
}

export interface Classified {
  model: string;
  answers: Answer[];
  queue_ms: number;
  inference_ms: number;
  predicted_ms?: number | null; // when the server expected to be done, waiting included
  total_ms: number;
}

/** Times and budgets are 0 where nothing was answered. */
export interface Second {
  age_s: number;
  requests_per_second: number;
  p99_ms: number;
  budget: number;
  refused: number;
}

export interface Live {
  queue: number;
  queue_limit: number;
  requests_per_second: number;
  p50_ms: number;
  p99_ms: number;
  budget: number; // that would be spent now
  mean_budget: number; // of what was answered lately
  refused: number;
  answered: number;
  abandoned: number;
  draining: boolean;
  history: Second[]; // oldest first
}

/** How much a text may cost: a share, a time, or what the server thinks right. */
export type Spend = { budget: number } | { latency_ms: number } | Record<string, never>;
