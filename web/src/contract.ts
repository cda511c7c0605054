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
  value: number; // of the measure
  macs_fraction: number;
}

export interface Scores {
  measure: string; // what the task is judged by: "accuracy" (0 to 1), "f1", "ndcg", …
  data: string;
  examples: number;
  precision: string;
  date: string;
  curve: CurvePoint[];
}

export type Task = 'classify' | 'pair' | 'synthetic' | 'multilabel' | 'regress' | 'tag' | 'embed' | 'rerank';

export interface Model {
  name: string;
  default: boolean;
  task: Task;
  labels: string[];
  thresholds?: number[]; // of several labels: the least score at which each is given
  auto?: boolean; // there is a policy for "budget": "auto"
  dimensions?: number; // of vectors
  prompts?: string[]; // names of texts that may be put in front of one
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

export interface Entity {
  text: string;
  label: string;
  score: number;
  start: number; // in code points
  end: number;
}

/** What every answer has, and what the one or the other task adds. */
export interface Answer {
  budget: number;
  tokens: number;
  rungs?: number[]; // budgets that ran one after the other, of "budget": "auto"
  label?: string;
  labels?: string[];
  scores?: Record<string, number>;
  score?: number;
  entities?: Entity[];
  embedding?: number[];
  index?: number; // of a passage, from 0
  text?: string; // of a passage
}

export interface Result {
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

/** So much a minute, saved up for one minute at most. */
export interface Quota {
  per_minute: number;
  left: number; // below 0: owed
}

/** What the key in use may do. Without a file of keys it has no name, and nothing is counted. */
export interface Key {
  name: string | null;
  priority: 'high' | 'normal' | 'low';
  read_only?: boolean;
  requests?: Quota | null; // null: no limit
  compute_seconds?: Quota | null;
}

/** How much a text may cost: a share, what each text needs, a time, or what the server thinks right. */
export type Spend = { budget: number | 'auto' } | { latency_ms: number } | Record<string, never>;
