// Axes: from numbers to pixels, and round numbers to label them with.
export interface Scale {
  (value: number): number;
  ticks: number[];
}

const roundSteps = [1, 2, 5, 10];

/** The smallest round step that needs at most `most` ticks. */
function stepFor(span: number, most: number): number {
  const raw = span / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * (roundSteps.find((step) => step * power >= raw * (1 - 1e-9)) ?? 10);
}

/** Covers low to high with whole steps; `pixels` may run downwards, as the y axis does. */
export function scaleOver(low: number, high: number, pixels: [number, number], mostTicks: number): Scale {
  const step = stepFor(Math.max(high - low, 1e-6), mostTicks);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(Math.ceil(high / step - 1e-9), first + 1);
  const [start, end] = pixels;
  const place = (value: number): number =>
    start + ((value / step - first) / (last - first)) * (end - start);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
  return Object.assign(place, { ticks });
}
