import { h } from "./dom.js";

const whole = new Intl.NumberFormat("en");
const SHORTEN_AT = 300;

export function count(value: number): string {
  return whole.format(value);
}

/** `3 entries`, `1 entry`. */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let scaled = value / 1024;
  let unit = 0;
  for (; scaled >= 1024 && unit < units.length - 1; unit++) scaled /= 1024;
  return `${scaled.toFixed(scaled < 10 ? 1 : 0)} ${units[unit]}`;
}

export function ms(value: number): string {
  return value < 10 ? `${value.toFixed(1)} ms` : `${value.toFixed(0)} ms`;
}

export function score(value: number): string {
  return value.toFixed(value !== 0 && Math.abs(value) < 0.1 ? 3 : 2);
}

/** As an element: UTC, to the minute; the whole of it on demand. */
export function moment(iso: string): HTMLTimeElement {
  return h("time", { dateTime: iso, title: iso }, iso.slice(0, 16).replace("T", " "));
}

/** Whole, or its beginning without half a character at the end. */
export function shortened(text: string, most = SHORTEN_AT): string {
  if (text.length <= most) return text;
  const end = isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most;
  return `${text.slice(0, end)} …`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** A name that may hold anything, or nothing that can be seen. */
export function name(text: string): string {
  return text.trim() === "" ? `"${text}"` : text;
}
