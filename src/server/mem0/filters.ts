import type { FieldCondition, Filter, FilterValue } from "../../filter.js";
import { isPlainObject } from "../../internal/check.js";
import { NO_RUN, sessionOfRun } from "../../transfer/mem0/place.js";
import { Problem } from "../problem.js";
import { MISSPELT, SCOPE_KEYS, type Scope, type ScopeKey } from "./scope.js";

/**
 * mem0's filters: `AND`, `OR` and `NOT` around conditions on who a memory belongs to and what its metadata
 * holds. For one bank, whose scope is known, the conditions on the scope are true or false; what is
 * left of the filter is the engine's. So a filter is looked at once a bank, and most banks are passed
 * over by their names.
 */
export type Residue = boolean | Filter;

const RANGES = { gt: "gt", gte: "gte", lt: "lt", lte: "lte" } as const;
const OPERATORS = new Set(["eq", "ne", "in", "nin", ...Object.keys(RANGES)]);
const DEEPEST = 16;

/** @throws {@link Problem} 400 where it is no filter, or has an operator that the engine lacks. */
export function residueOf(filter: unknown, scope: Scope, depth = 0): Residue {
  if (!isPlainObject(filter)) throw bad("filters: expected an object");
  if (depth > DEEPEST) throw bad(`filters: more than ${DEEPEST} levels`);
  const parts = Object.entries(filter).map(([key, value]): Residue => {
    if (key === "AND")
      return allOf(listOf(key, value).map((one) => residueOf(one, scope, depth + 1)));
    if (key === "OR")
      return anyOf(listOf(key, value).map((one) => residueOf(one, scope, depth + 1)));
    if (key === "NOT") {
      const list = Array.isArray(value) ? value : [value];
      return noneOf(list.map((one) => residueOf(one, scope, depth + 1)));
    }
    if (isScopeKey(key)) return scopeCondition(key, value, scope);
    const meant = Object.hasOwn(MISSPELT, key) ? MISSPELT[key] : undefined;
    if (meant !== undefined) throw bad(`filters.${key}: expected ${meant}`);
    if (key === "created_at" || key === "timestamp") return { at: rangesOf(key, value) };
    if (key === "updated_at") return { ingestedAt: rangesOf(key, value) };
    if (key === "metadata" && isPlainObject(value)) {
      return { metadata: mapValues(value, (condition, field) => conditionOf(field, condition)) };
    }
    return { metadata: { [key]: conditionOf(key, value) } };
  });
  return allOf(parts);
}

/** Whether a filter says anything about who a memory belongs to: one that does not would reach everybody. */
export function namesScope(filter: unknown, depth = 0): boolean {
  if (!isPlainObject(filter) || depth > DEEPEST) return false;
  return Object.entries(filter).some(([key, value]) => {
    if (isScopeKey(key)) return true;
    const list = Array.isArray(value) ? value : [value];
    return ["AND", "OR", "NOT"].includes(key) && list.some((one) => namesScope(one, depth + 1));
  });
}

function isScopeKey(key: string): key is ScopeKey {
  return (SCOPE_KEYS as readonly string[]).includes(key);
}

/** `"*"` is anybody who is named at all. */
function scopeCondition(key: ScopeKey, value: unknown, scope: Scope): Residue {
  const isSession = key === "run_id" && scope.run_id === undefined;
  if (value === "*") return isSession ? { not: { session: NO_RUN } } : scope[key] !== undefined;
  const { isNot, values } = namesOf(key, value);
  if (isSession) {
    const sessions: Filter =
      values.length === 0 ? { or: [] } : { session: values.map(sessionOfRun) };
    return isNot ? { not: sessions } : sessions;
  }
  const own = scope[key];
  return (own !== undefined && values.includes(own)) !== isNot;
}

function namesOf(key: string, value: unknown): { isNot: boolean; values: string[] } {
  if (isName(value)) return { isNot: false, values: [value] };
  if (isPlainObject(value) && Object.keys(value).length === 1) {
    const [[operator, operand]] = Object.entries(value) as [[string, unknown]];
    const list = operator === "in" || operator === "nin" ? operand : [operand];
    if (Array.isArray(list) && list.every(isName)) {
      if (operator === "eq" || operator === "in") return { isNot: false, values: list };
      if (operator === "ne" || operator === "nin") return { isNot: true, values: list };
    }
  }
  throw bad(`filters.${key}: expected a name, "*", or eq, ne, in or nin`);
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function rangesOf(key: string, value: unknown): NonNullable<Filter["at"]> {
  if (!isPlainObject(value) || !Object.keys(value).every((name) => name in RANGES)) {
    throw bad(`filters.${key}: expected gt, gte, lt or lte`);
  }
  return value as NonNullable<Filter["at"]>;
}

function conditionOf(field: string, value: unknown): FilterValue | FieldCondition {
  if (!isPlainObject(value)) return value as FilterValue;
  const unknown = Object.keys(value).find((operator) => !OPERATORS.has(operator));
  if (unknown !== undefined) {
    throw bad(`filters.${field}: expected one of ${[...OPERATORS].join(", ")}, got "${unknown}"`);
  }
  return value as FieldCondition;
}

function allOf(parts: readonly Residue[]): Residue {
  if (parts.includes(false)) return false;
  const left = parts.filter((part): part is Filter => typeof part !== "boolean");
  return left.length === 0 ? true : left.length === 1 ? left[0]! : { and: left };
}

function anyOf(parts: readonly Residue[]): Residue {
  if (parts.includes(true)) return true;
  const left = parts.filter((part): part is Filter => typeof part !== "boolean");
  return left.length === 0 ? false : left.length === 1 ? left[0]! : { or: left };
}

function noneOf(parts: readonly Residue[]): Residue {
  const any = anyOf(parts);
  return typeof any === "boolean" ? !any : { not: any };
}

function listOf(key: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw bad(`filters.${key}: expected an array`);
  return value;
}

function mapValues<T>(object: object, map: (value: unknown, key: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
}

function bad(message: string): Problem {
  return new Problem(400, "BAD_REQUEST", message);
}
