// Which heads and neurons are alive at a budget: asked once for each, then remembered.
import * as api from './api';
import type { Model, Plan } from './contract';

const known = new Map<string, Plan>();

/** At a budget of 0 the model did not run: rung zero of "auto" answered. */
export async function planFor(model: Model, budget: number, signal: AbortSignal): Promise<Plan> {
  if (budget === 0) return { budget, heads: [], kept_heads: [], ffn: [], macs_fraction: 0 };
  const measured = model.budgets.find((plan) => plan.budget === budget);
  if (measured) return measured;
  const name = `${model.name} ${budget}`;
  const plan = known.get(name) ?? (await api.plan(model.name, budget, signal));
  known.set(name, plan);
  return plan;
}
