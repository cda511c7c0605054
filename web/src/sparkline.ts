// A minute as a line, without numbers: those stand above it.
import { svg } from './dom';

const height = 40; // units of the drawing, which is stretched to its tile
const seconds = 60;

type Sample = number | null; // null: nothing happened, so the line has a gap

/** Runs of samples without a gap, as "x,y x,y"; the newest sample is at the right edge. */
function runs(samples: Sample[], top: number): string[] {
  const offset = seconds - samples.length;
  const paths: string[][] = [[]];
  samples.forEach((sample, i) => {
    if (sample === null) {
      paths.push([]);
      return;
    }
    const y = height - 1 - (height - 3) * Math.min(sample / top, 1);
    paths.at(-1)?.push(`${offset + i + 1},${y.toFixed(1)}`);
  });
  return paths.filter((path) => path.length > 0).map((path) => path.join(' '));
}

/** `top`: the value at the upper edge; without it, the largest sample. */
export function sparkline(samples: Sample[], top?: number): SVGSVGElement {
  const shown = samples.slice(-seconds);
  const most = top ?? Math.max(1e-9, ...shown.map((sample) => sample ?? 0));
  return svg(
    'svg',
    { class: 'sparkline', viewBox: `0 0 ${seconds} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svg('line', { class: 'grid', x1: 0, x2: seconds, y1: height - 0.5, y2: height - 0.5 }),
    ...runs(shown, most).map((points) => svg('polyline', { class: 'line', points })),
  );
}
