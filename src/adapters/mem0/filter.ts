import { expected, isPlainObject } from "../../internal/check.js";
import type { JsonObject, JsonValue } from "../../types.js";
import { valueAt, valuesAt } from "../points/paths.js";

/** What a value must be to match: one of the list, none of it, or a text that holds a text. */
export interface QdrantMatch {
  readonly value?: string | number | boolean;
  readonly any?: readonly (string | number | boolean)[];
  readonly except?: readonly (string | number | boolean)[];
  readonly text?: string;
}

/** Bounds of a number, or of a date. */
export interface QdrantRange {
  readonly gt?: number | string;
  readonly gte?: number | string;
  readonly lt?: number | string;
  readonly lte?: number | string;
}

/** On one field of the payload, by a path with dots; or on ids; or a filter in a filter. */
export type QdrantCondition =
  | { readonly key: string; readonly match?: QdrantMatch; readonly range?: QdrantRange }
  | { readonly has_id: readonly (string | number)[] }
  | { readonly is_empty: { readonly key: string } }
  | { readonly is_null: { readonly key: string } }
  | QdrantFilter;

/** One condition or several; none holds for all. */
export type QdrantClause = QdrantCondition | readonly QdrantCondition[] | null | undefined;

/** All of `must`, one of `should` where there is one, none of `must_not`. */
export interface QdrantFilter {
  readonly must?: QdrantClause;
  readonly should?: QdrantClause;
  readonly must_not?: QdrantClause;
}

/** What a filter is asked about. */
export interface Filtered {
  readonly id: string | number;
  readonly payload: JsonObject;
}

const CLAUSES = ["must", "should", "must_not"];
const CONDITIONS = ["key", "match", "range"];
const MATCHES = ["value", "any", "except", "text"] as const;
const RANGES = ["gt", "gte", "lt", "lte"] as const;
const DEEPEST = 32;

type Predicate = (point: Filtered) => boolean;

/**
 * A filter of Qdrant's, as a predicate. Where a field is a list, one item that fits is enough.
 *
 * @throws TypeError for what it does not know: a condition that is overlooked would let others' points through.
 */
export function toPredicate(filter: QdrantFilter | null | undefined): Predicate {
  return filter === null || filter === undefined ? () => true : toFilter(filter, "filter", 1);
}

/** Whether a filter has no condition, however it is nested: it holds for every point. */
export function isEverything(filter: QdrantFilter): boolean {
  const conditions = (clause: QdrantClause) =>
    [clause ?? []].flat() as readonly (QdrantCondition & object)[];
  const hasNone = (condition: QdrantCondition) =>
    CLAUSES.some((name) => name in condition) || Object.keys(condition).length === 0
      ? isEverything(condition as QdrantFilter)
      : false;
  const should = conditions(filter.should);
  return (
    conditions(filter.must).every(hasNone) &&
    (should.length === 0 || should.some(hasNone)) &&
    conditions(filter.must_not).length === 0
  );
}

function toFilter(filter: unknown, at: string, depth: number): Predicate {
  if (depth > DEEPEST) throw new RangeError(`${at}: expected at most ${DEEPEST} levels, got more`);
  expectKeys(at, filter, CLAUSES);
  const { must, should, must_not: mustNot } = filter as QdrantFilter;
  const of = (clause: QdrantClause, name: string) =>
    (clause === undefined || clause === null ? [] : [clause])
      .flat()
      .map((condition, i) => toCondition(condition, `${at}.${name}[${i}]`, depth + 1));
  const [all, some, none] = [of(must, "must"), of(should, "should"), of(mustNot, "must_not")];
  return (point) =>
    all.every((holds) => holds(point)) &&
    (some.length === 0 || some.some((holds) => holds(point))) &&
    !none.some((holds) => holds(point));
}

function toCondition(condition: unknown, at: string, depth: number): Predicate {
  if (!isPlainObject(condition)) throw expected(at, "a condition", condition);
  if ("key" in condition) return toField(condition, at);
  if ("has_id" in condition) {
    expectKeys(at, condition, ["has_id"]);
    const ids = new Set(expectList(`${at}.has_id`, condition["has_id"]));
    return ({ id }) => ids.has(id);
  }
  for (const name of ["is_empty", "is_null"]) {
    if (!(name in condition)) continue;
    expectKeys(at, condition, [name]);
    expectKeys(`${at}.${name}`, condition[name], ["key"]);
    const path = expectPath(`${at}.${name}.key`, (condition[name] as { key: unknown }).key);
    if (name === "is_null") return ({ payload }) => valueAt(payload, path) === null;
    return ({ payload }) => valuesAt(payload, path).every((value) => value === null);
  }
  return toFilter(condition, at, depth);
}

function toField(condition: Record<string, unknown>, at: string): Predicate {
  expectKeys(at, condition, CONDITIONS);
  const path = expectPath(`${at}.key`, condition["key"]);
  const { match, range } = condition;
  if (match === undefined && range === undefined) throw expected(at, "match or range", condition);
  const tests: ((value: JsonValue) => boolean)[] = [];
  if (match !== undefined) tests.push(toMatch(match, `${at}.match`));
  if (range !== undefined) tests.push(toRange(range, `${at}.range`));
  return ({ payload }) =>
    tests.every((fits) => valuesAt(payload, path).some((value) => fits(value)));
}

function toMatch(match: unknown, at: string): (value: JsonValue) => boolean {
  expectKeys(at, match, MATCHES);
  const given = MATCHES.filter((name) => (match as QdrantMatch)[name] !== undefined);
  if (given.length !== 1) throw expected(at, `one of ${MATCHES.join(", ")}`, match);
  const { value: wanted, any, except, text } = match as QdrantMatch;
  if (any !== undefined) {
    const list = expectList(`${at}.any`, any);
    return (value) => list.includes(value);
  }
  if (except !== undefined) {
    const list = expectList(`${at}.except`, except);
    return (value) => !list.includes(value);
  }
  if (text === undefined) return (value) => value === wanted;
  if (typeof text !== "string") throw expected(`${at}.text`, "a string", text);
  const words = text.toLowerCase();
  return (value) => typeof value === "string" && value.toLowerCase().includes(words);
}

/** Numbers are compared with numbers; dates are ISO 8601 texts, which compare as texts do. */
function toRange(range: unknown, at: string): (value: JsonValue) => boolean {
  expectKeys(at, range, RANGES);
  const { gt, gte, lt, lte } = range as QdrantRange;
  const holds = (value: JsonValue, bound: number | string | undefined, fits: Comparison) =>
    bound === undefined || bound === null || (typeof value === typeof bound && fits(value!, bound));
  return (value) =>
    holds(value, gt, (a, b) => a > b) &&
    holds(value, gte, (a, b) => a >= b) &&
    holds(value, lt, (a, b) => a < b) &&
    holds(value, lte, (a, b) => a <= b);
}

type Comparison = (a: NonNullable<JsonValue>, b: number | string) => boolean;

function expectPath(at: string, value: unknown): string {
  if (typeof value !== "string") throw expected(at, "a string", value);
  return value;
}

function expectList(at: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw expected(at, "an array", value);
  return value as readonly unknown[];
}

function expectKeys(at: string, value: unknown, known: readonly string[]): void {
  if (!isPlainObject(value)) throw expected(at, "an object", value);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new TypeError(`${at}: no '${unknown}' here`);
}
