/** One line of a chart. */
export interface Series {
  readonly name: string;
  /** Ascending in x. */
  readonly points: readonly ChartPoint[];
}

export interface ChartPoint {
  readonly x: number;
  readonly y: number;
  /** The interval of y, if it is known. */
  readonly low?: number;
  readonly high?: number;
}

export interface ChartLabels {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  /** Both axes in powers of ten; all values are then above 0. */
  readonly powersOfTen?: boolean;
}

const WIDTH = 760;
const HEIGHT = 440;
const LEFT = 64;
const RIGHT = 190;
const TOP = 44;
const BOTTOM = 56;
/** Told apart by people who see colours differently, and in print. Source: M. Okabe, K. Ito, 2002. */
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
const DASHES = ["", "6 3", "2 3"];

/** A line chart as a self-contained SVG: points, their intervals, a legend at the right. */
export function lineChart(series: readonly Series[], labels: ChartLabels): string {
  const points = series.flatMap(({ points: own }) => own);
  const toTicks = labels.powersOfTen === true ? powers : ticks;
  const toScale = labels.powersOfTen === true ? logarithmic : scale;
  const xs = toTicks(points.map(({ x }) => x));
  const ys = toTicks(points.flatMap(({ y, low = y, high = y }) => [low, high]));
  const toX = toScale(xs, LEFT, WIDTH - RIGHT);
  const toY = toScale(ys, HEIGHT - BOTTOM, TOP);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(labels.title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text(LEFT, 24, labels.title, 'font-size="15"'),
    ...xs.map((x) => grid(toX(x), TOP, toX(x), HEIGHT - BOTTOM)),
    ...ys.map((y) => grid(LEFT, toY(y), WIDTH - RIGHT, toY(y))),
    ...xs.map((x) => text(toX(x), HEIGHT - BOTTOM + 18, label(x), 'text-anchor="middle"')),
    ...ys.map((y) => text(LEFT - 8, toY(y) + 4, label(y), 'text-anchor="end"')),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, labels.x, 'text-anchor="middle"'),
    text(16, (TOP + HEIGHT - BOTTOM) / 2, labels.y, turned(16, (TOP + HEIGHT - BOTTOM) / 2)),
  ];
  for (const [i, { name, points: own }] of series.entries()) {
    const colour = COLOURS[i % COLOURS.length]!;
    const dash = DASHES[Math.floor(i / COLOURS.length) % DASHES.length]!;
    const stroke = `stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"`;
    const path = own.map(({ x, y }) => `${place(toX(x))},${place(toY(y))}`).join(" ");
    parts.push(`<polyline fill="none" ${stroke} points="${path}"/>`);
    for (const { x, y, low, high } of own) {
      if (low !== undefined && high !== undefined) {
        const [at, from, to] = [place(toX(x)), place(toY(low)), place(toY(high))];
        parts.push(`<path d="M${at} ${from}V${to}" stroke="${colour}"/>`);
      }
      parts.push(`<circle cx="${place(toX(x))}" cy="${place(toY(y))}" r="3.5" fill="${colour}"/>`);
    }
    const y = TOP + 12 + 20 * i;
    const [from, to] = [WIDTH - RIGHT + 14, WIDTH - RIGHT + 38];
    parts.push(`<path d="M${from} ${y}H${to}" fill="none" ${stroke}/>`);
    parts.push(text(to + 8, y + 4, name, ""));
  }
  return `${parts.join("\n")}\n</svg>\n`;
}

/** Charts below one another, as one SVG. */
export function stackedCharts(charts: readonly string[]): string {
  const height = HEIGHT * charts.length;
  const placed = charts.map((chart, i) =>
    chart.replace("<svg ", `<svg y="${HEIGHT * i}" width="${WIDTH}" height="${HEIGHT}" `),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}">\n${placed.join("")}</svg>\n`;
}

/** Four to eight round numbers whose ends hold all values. */
export function ticks(values: readonly number[]): number[] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const span = high - low || Math.abs(high) || 1;
  const magnitude = 10 ** Math.floor(Math.log10(span / 5));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((s) => span / s <= 6)!;
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/** The powers of ten whose ends hold all values. */
function powers(values: readonly number[]): number[] {
  if (values.length === 0) return [1, 10];
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}

function logarithmic(of: readonly number[], from: number, to: number): (value: number) => number {
  const place = scale(of.map(Math.log10), from, to);
  return (value) => place(Math.log10(value));
}

function scale(of: readonly number[], from: number, to: number): (value: number) => number {
  const low = of[0]!;
  const high = of.at(-1)!;
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}

const place = (value: number) => value.toFixed(1);
const label = (value: number) => Number(value.toPrecision(6)).toLocaleString("en-US");
const grid = (x1: number, y1: number, x2: number, y2: number) =>
  `<path d="M${place(x1)} ${place(y1)}L${place(x2)} ${place(y2)}" stroke="#ddd"/>`;
const text = (x: number, y: number, content: string, attributes: string) =>
  `<text x="${place(x)}" y="${place(y)}" ${attributes}>${escapeXml(content)}</text>`;
const turned = (x: number, y: number) => `text-anchor="middle" transform="rotate(-90 ${x} ${y})"`;

function escapeXml(value: string): string {
  return value.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
