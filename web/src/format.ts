// Numbers as people read them. A thin space parts number and unit.
const thin = '\u202f';
export const unknown = '–';

const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export const count = (value: number): string => grouped.format(value);

/** Three digits that mean something: 0.042, 0.42, 4.2, 42. */
export function milliseconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return unknown;
  const digits = value >= 10 ? 0 : value >= 1 ? 1 : value >= 0.1 ? 2 : 3;
  return `${value.toFixed(digits)}${thin}ms`;
}

/** Of compute: 0.04, 1.25, 12.5. */
export const seconds = (value: number): string =>
  `${Number(value.toPrecision(3))}${thin}s`;

/** A budget: whole per cents where they suffice, 12.5 % otherwise. */
export function share(value: number | null | undefined): string {
  if (value === null || value === undefined) return unknown;
  return `${Number((100 * value).toFixed(1))}${thin}%`;
}

/** A measured accuracy or a probability: always `digits` decimals, so that they line up. */
export const percent = (value: number, digits: number): string =>
  `${(100 * value).toFixed(digits)}${thin}%`;

/** A score that is no share of anything. */
export const decimal = (value: number): string => value.toFixed(3);

export function rate(value: number): string {
  return value >= 100 || value === 0 ? count(value) : value.toFixed(1);
}

export function parameters(value: number): string {
  return value >= 1e6 ? `${(value / 1e6).toFixed(1)} M` : value >= 1e3 ? `${count(value / 1e3)} k` : count(value);
}
