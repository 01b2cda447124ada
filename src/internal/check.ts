/**
 * The wording of every complaint about an argument, so that all say the same three things: which
 * argument, what was expected, what came. A wrong kind of value is a `TypeError`, a value of the
 * right kind that cannot be used a `RangeError`.
 */

export function expected(argument: string, what: string, got: unknown): TypeError {
  return new TypeError(`${argument}: expected ${what}, got ${describe(got)}`);
}

export function outOfRange(argument: string, what: string, got: unknown): RangeError {
  return new RangeError(`${argument}: expected ${what}, got ${describe(got)}`);
}

const LONGEST_QUOTE = 60;

/** The value in a few words, whatever it is. */
export function describe(value: unknown): string {
  if (typeof value === "string") {
    return value.length <= LONGEST_QUOTE
      ? `'${value}'`
      : `'${value.slice(0, LONGEST_QUOTE)}...' (${value.length} characters)`;
  }
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return "a symbol";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid Date" : "a Date";
  if (value instanceof Promise) return "a Promise";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

/** Whether `value` is an object made by `{}` or the like: not an array, a Date or a Map. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another realm has another Object.prototype, whose own prototype is null too.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * `value` as an object that has no other keys than `known`.
 *
 * @throws TypeError that names an unknown key, and the known one it may be a slip of.
 */
export function expectOptions(
  argument: string,
  value: unknown,
  known: readonly string[],
): Record<string, unknown> {
  if (!isPlainObject(value)) throw expected(argument, "an object", value);
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const near = nearest(key, known);
    const hint = near === undefined ? `expected ${known.join(", ")}` : `did you mean '${near}'`;
    throw new TypeError(`${argument}.${key}: unknown; ${hint}`);
  }
  return value;
}

export function expectOneOf<T extends string>(
  argument: string,
  value: unknown,
  choices: readonly T[],
): T {
  if (typeof value === "string" && (choices as readonly string[]).includes(value))
    return value as T;
  const what = `one of ${choices.map((choice) => `'${choice}'`).join(", ")}`;
  throw typeof value === "string"
    ? outOfRange(argument, what, value)
    : expected(argument, what, value);
}

export function expectInteger(
  argument: string,
  value: unknown,
  least: number,
  most: number,
): number {
  if (typeof value !== "number") throw expected(argument, "an integer", value);
  if (!Number.isInteger(value) || value < least || value > most) {
    throw outOfRange(argument, `an integer from ${least} to ${most}`, value);
  }
  return value;
}

/** An integer from `step` to `most` that is a multiple of `step`. */
export function expectMultiple(
  argument: string,
  value: unknown,
  step: number,
  most: number,
): number {
  if (typeof value !== "number") throw expected(argument, "an integer", value);
  if (!Number.isInteger(value) || value < step || value > most || value % step !== 0) {
    throw outOfRange(argument, `a multiple of ${step} up to ${most}`, value);
  }
  return value;
}

/** A text of 1 to `longest` UTF-16 units. */
export function expectName(argument: string, value: unknown, longest: number): string {
  if (typeof value !== "string") throw expected(argument, "a string", value);
  if (value.length === 0 || value.length > longest) {
    throw outOfRange(argument, `a string of 1 to ${longest} characters`, value);
  }
  return value;
}

/** What `check` makes of each item. Unlike `map` it also asks about holes, which are undefined. */
export function checkEach<T>(
  values: readonly unknown[],
  check: (value: unknown, index: number) => T,
): T[] {
  return Array.from(values, check);
}

/** The one of `known` that `word` is most likely a slip of, if any. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const from = word.slice(0, LONGEST_QUOTE).toLowerCase();
  let best: string | undefined;
  let least = Math.max(2, Math.ceil(from.length / 3)) + 1;
  for (const candidate of known) {
    const edits = editDistance(from, candidate.toLowerCase());
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}

/** Levenshtein's distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
