// What the model is judged by, measured against compute, with the budget in use marked on it.
import type { CurvePoint, Model, Scores, Task } from './contract';
import { byId, element, svg } from './dom';
import { count, decimal, percent, share } from './format';
import { scaleOver, type Scale } from './scale';

const heading = byId('curve-title', HTMLHeadingElement);
const holder = byId('curve', HTMLDivElement);
const summary = byId('curve-summary', HTMLParagraphElement);
const source = byId('curve-source', HTMLParagraphElement);

const height = 220; // pixels; the width is the page's
const margin = { left: 54, right: 14, top: 14, bottom: 44 };

let scores: Scores | null = null;
let budget: number | null = null;

const hasAccuracy: Task[] = ['classify', 'pair', 'synthetic']; // others are judged by another measure

const isAccuracy = ({ measure }: Scores): boolean => measure === 'accuracy';

/** Accuracy in per cent; other measures as decimals. */
const written = (of: Scores, value: number, digits: number): string =>
  isAccuracy(of) ? percent(value, digits) : decimal(value);

interface Mark extends CurvePoint {
  measured: boolean; // otherwise on the line between two measured points
}

/** Where a budget lies on the curve; nothing outside of what was measured. */
function markAt(curve: CurvePoint[], at: number): Mark | null {
  const above = curve.findIndex((point) => point.budget >= at - 1e-9);
  const high = curve[above];
  if (!high) return null;
  if (Math.abs(high.budget - at) < 1e-6) return { ...high, measured: true };
  const low = curve[above - 1];
  if (!low) return null;
  const way = (at - low.budget) / (high.budget - low.budget);
  const between = (a: number, b: number): number => a + way * (b - a);
  return {
    budget: at,
    value: between(low.value, high.value),
    macs_fraction: between(low.macs_fraction, high.macs_fraction),
    measured: false,
  };
}

function axes(of: Scores, x: Scale, y: Scale, width: number): SVGElement[] {
  const digits = (y.ticks[1] ?? 1) - (y.ticks[0] ?? 0) < 0.0099 ? 1 : 0;
  const rows = y.ticks.flatMap((tick) => [
    svg('line', { class: 'grid', x1: margin.left, x2: width - margin.right, y1: y(tick), y2: y(tick) }),
    svg('text', { x: margin.left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, written(of, tick, digits)),
  ]);
  const columns = x.ticks.map((tick) =>
    svg('text', { x: x(tick), y: height - margin.bottom + 20, 'text-anchor': 'middle' }, String(Math.round(100 * tick))),
  );
  const title = svg(
    'text',
    { x: width - margin.right, y: height - 4, 'text-anchor': 'end' },
    'compute, % of the dense model',
  );
  return [...rows, ...columns, title];
}

function draw(): void {
  const width = holder.clientWidth;
  if (!scores || width === 0) return;
  const { curve } = scores;
  const values = curve.map((point) => point.value);
  const x = scaleOver(0, 1, [margin.left, width - margin.right], 5);
  const y = scaleOver(Math.min(...values), Math.max(...values), [height - margin.bottom, margin.top], 4);
  const place = (point: CurvePoint): string => `${x(point.macs_fraction).toFixed(1)},${y(point.value).toFixed(1)}`;
  const mark = budget === null ? null : markAt(curve, budget);
  holder.replaceChildren(
    svg(
      'svg',
      { width, height, role: 'img', 'aria-label': sentence(scores) },
      ...axes(scores, x, y, width),
      svg('polyline', { class: 'line', points: curve.map(place).join(' ') }),
      ...curve.map((point) => svg('circle', { class: 'point', r: 3.5, cx: x(point.macs_fraction), cy: y(point.value) })),
      ...(mark ? [svg('circle', { class: 'mark', r: 7, cx: x(mark.macs_fraction), cy: y(mark.value) })] : []),
    ),
  );
}

function sentence(of: Scores): string {
  const points = of.curve.map((point) => `${written(of, point.value, 2)} at budget ${share(point.budget)}`);
  return `${isAccuracy(of) ? 'Accuracy' : of.measure}: ${points.join(', ')}`;
}

function summarise(): string {
  if (!scores || budget === null) return '';
  const mark = markAt(scores.curve, budget);
  if (!mark) return `Not measured at a budget of ${share(budget)}.`;
  const value = written(scores, mark.value, mark.measured ? 2 : 1);
  const what = isAccuracy(scores) ? `${value} right` : `${scores.measure} ${value}`;
  return `${mark.measured ? '' : 'About '}${what} at a budget of ${share(budget)}.`;
}

export function prepareCurve(model: Model): void {
  scores = model.scores;
  budget = null;
  summary.textContent = '';
  heading.textContent = scores && !isAccuracy(scores) ? `Measured ${scores.measure}` : 'Measured accuracy';
  if (!scores && !hasAccuracy.includes(model.task)) heading.textContent = 'Measured quality';
  if (scores) {
    const date = scores.date.replaceAll('-', '\u2011'); // hyphens that do not break
    source.textContent = `${scores.data}, ${count(scores.examples)} examples, ${scores.precision}, ${date}`;
    draw();
    return;
  }
  source.textContent = '';
  holder.replaceChildren(
    element('p', { class: 'hint' }, 'Not measured yet. This command keeps a curve in the checkpoint:'),
    element('code', {}, 'headroom eval --model DIR --data SPEC --save'),
  );
}

/** null: what was answered is no point of the curve. */
export function markCurve(at: number | null): void {
  budget = at;
  summary.textContent = summarise();
  draw();
}

// Redrawn rather than scaled: on a phone the numbers keep their size.
new ResizeObserver(draw).observe(holder);
