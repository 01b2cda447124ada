import { expected, isPlainObject } from "../../internal/check.js";
import type { JsonObject, JsonValue } from "../../types.js";
import { valueAt, valuesAt } from "../points/paths.js";

type Predicate = (payload: JsonObject) => boolean;
type Test = (payload: JsonObject, path: string) => boolean;

const DEEPEST = 32;

/**
 * A filter of Mastra's, which is written as MongoDB's, as a predicate on metadata. Where a field is a list, one
 * item that fits is enough. Regular expressions are refused: one can take forever.
 *
 * @throws TypeError for what it does not know: a condition that is overlooked would let others' vectors through.
 */
export function toPredicate(filter: unknown, at = "filter", depth = 1): Predicate {
  if (filter === undefined || filter === null) return () => true;
  if (!isPlainObject(filter)) throw expected(at, "an object", filter);
  if (depth > DEEPEST) throw new RangeError(`${at}: expected at most ${DEEPEST} levels, got more`);
  const all = Object.entries(filter).map(([key, value]): Predicate => {
    const inner = `${at}.${key}`;
    if (key === "$not") {
      const holds = toPredicate(value, inner, depth + 1);
      return (payload) => !holds(payload);
    }
    if (key === "$and" || key === "$or" || key === "$nor") {
      const parts = listOf(inner, value).map((part) => toPredicate(part, inner, depth + 1));
      if (key === "$and") return (payload) => parts.every((holds) => holds(payload));
      return (payload) => parts.some((holds) => holds(payload)) === (key === "$or");
    }
    if (key.startsWith("$")) throw new TypeError(`${at}: no '${key}' here`);
    const holds = toTest(value, inner, depth + 1);
    return (payload) => holds(payload, key);
  });
  return (payload) => all.every((holds) => holds(payload));
}

/** Whether a filter that was checked has no condition, however it is nested: it holds for everything. */
export function isEverything(filter: object): boolean {
  return Object.entries(filter).every(([key, value]) => {
    if (key === "$and") return (value as object[]).every(isEverything);
    return key === "$or" && (value as object[]).some(isEverything);
  });
}

function toTest(condition: unknown, at: string, depth: number): Test {
  if (!isPlainObject(condition)) return equals(at, condition);
  if (depth > DEEPEST) throw new RangeError(`${at}: expected at most ${DEEPEST} levels, got more`);
  const tests = Object.entries(condition).map(([name, value]) =>
    toOperator(name, value, `${at}.${name}`, depth),
  );
  if (tests.length === 0) throw expected(at, "a value or operators", condition);
  return (payload, path) => tests.every((holds) => holds(payload, path));
}

function toOperator(name: string, value: unknown, at: string, depth: number): Test {
  const not =
    (test: Test): Test =>
    (payload, path) =>
      !test(payload, path);
  switch (name) {
    case "$eq":
      return equals(at, value);
    case "$ne":
      return not(equals(at, value));
    case "$in":
    case "$nin": {
      const tests = listOf(at, value).map((item) => equals(at, item));
      const some: Test = (payload, path) => tests.some((holds) => holds(payload, path));
      return name === "$in" ? some : not(some);
    }
    case "$all": {
      const tests = listOf(at, value).map((item) => equals(at, item));
      return (payload, path) => tests.length > 0 && tests.every((holds) => holds(payload, path));
    }
    case "$exists":
      if (typeof value !== "boolean") throw expected(at, "a boolean", value);
      return (payload, path) => (valueAt(payload, path) !== undefined) === value;
    case "$not":
      return not(toTest(value, at, depth + 1));
    case "$elemMatch": {
      const holds = toPredicate(value, at, depth + 1);
      return (payload, path) =>
        valuesAt(payload, path).some((item) => isPlainObject(item) && holds(item as JsonObject));
    }
    case "$gt":
      return compares(at, value, (a, b) => a > b);
    case "$gte":
      return compares(at, value, (a, b) => a >= b);
    case "$lt":
      return compares(at, value, (a, b) => a < b);
    case "$lte":
      return compares(at, value, (a, b) => a <= b);
    default:
      throw new TypeError(`${at}: no such operator here`);
  }
}

/** A list equals a list as a whole; what is absent equals null. */
function equals(at: string, value: unknown): Test {
  const wanted = plain(at, value);
  if (Array.isArray(wanted)) {
    const text = JSON.stringify(wanted);
    return (payload, path) => JSON.stringify(valueAt(payload, path)) === text;
  }
  if (wanted === null) return (payload, path) => (valueAt(payload, path) ?? null) === null;
  return (payload, path) => valuesAt(payload, path).includes(wanted);
}

/** Numbers with numbers, texts with texts. */
function compares(
  at: string,
  value: unknown,
  fits: (a: number | string, b: number | string) => boolean,
): Test {
  const bound = plain(at, value);
  if (typeof bound !== "number" && typeof bound !== "string") {
    throw expected(at, "a number, a string or a date", value);
  }
  return (payload, path) =>
    valuesAt(payload, path).some(
      (item) => typeof item === typeof bound && fits(item as number | string, bound),
    );
}

/** As metadata has it: dates are ISO 8601 texts. A variable that was not set must not widen a filter. */
function plain(at: string, value: unknown): JsonValue {
  if (value === undefined) throw expected(at, "a value", value);
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

function listOf(at: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw expected(at, "an array", value);
  return value as readonly unknown[];
}
