import { idNumber } from "./ids.js";
import {
  checkEach,
  describe,
  expected,
  expectOneOf,
  expectOptions,
  isPlainObject,
  outOfRange,
} from "./internal/check.js";
import { parseMoment } from "./internal/moment.js";
import { checkName, ROLES } from "./turn.js";
import type { JsonValue, Role } from "./types.js";

/** What a metadata field is compared with. */
export type FilterValue = string | number | boolean | null;

/**
 * What a metadata field must be. All that is given must hold. Numbers are compared with numbers,
 * texts with texts, by their UTF-16 units; a value of another kind, or none, is neither greater nor
 * less. Where the field is a list, one item that fits is enough.
 */
export interface FieldCondition {
  readonly eq?: FilterValue;
  /** Not equal; so it holds, too, where there is no such field. */
  readonly ne?: FilterValue;
  readonly gt?: string | number;
  readonly gte?: string | number;
  readonly lt?: string | number;
  readonly lte?: string | number;
  readonly in?: readonly FilterValue[];
  /** None of these; so it holds, too, where there is no such field. */
  readonly nin?: readonly FilterValue[];
}

/** A time span; all that is given must hold. */
export interface TimeCondition {
  readonly gt?: Date | string | number;
  readonly gte?: Date | string | number;
  readonly lt?: Date | string | number;
  readonly lte?: Date | string | number;
}

/**
 * Which entries: all conditions that are given must hold, so that `{}` is every entry. It is applied
 * before ranking: what does not fit takes no place among the results.
 *
 * ```ts
 * await bank.recall("What did she order?", {
 *   filter: { role: "user", at: { gte: "2026-01-01" }, metadata: { "order.total": { gt: 100 } } },
 * });
 * ```
 *
 * A key that is there with the value undefined is a mistake and throws: a variable that was not set
 * would otherwise widen a filter to everything.
 */
export interface Filter {
  readonly role?: Role | readonly Role[];
  readonly session?: string | readonly string[];
  readonly speaker?: string | readonly string[];
  readonly ids?: readonly string[];
  /** Event time. */
  readonly at?: TimeCondition;
  /** When the memory took it in. */
  readonly ingestedAt?: TimeCondition;
  /**
   * By field; a value alone means `eq`. A name with dots is a path into nested objects, unless there
   * is a field of exactly that name.
   */
  readonly metadata?: { readonly [path: string]: FilterValue | FieldCondition };
  /** All of them; an empty list holds. */
  readonly and?: readonly Filter[];
  /** At least one; an empty list does not hold. */
  readonly or?: readonly Filter[];
  readonly not?: Filter;
}

/** A filter that was checked and copied, as a tree of what native columns and metadata can answer. */
export type FilterNode =
  | { readonly kind: "columns"; readonly columns: ColumnConditions }
  | { readonly kind: "metadata"; readonly fields: readonly CheckedField[]; readonly key: string }
  | { readonly kind: "and" | "or"; readonly nodes: readonly FilterNode[] }
  | { readonly kind: "not"; readonly node: FilterNode };

export interface ColumnConditions {
  /** Bit i: role i. */
  readonly roles?: number;
  readonly sessions?: readonly string[];
  readonly speakers?: readonly string[];
  /** Numbers of first versions. */
  readonly origins?: Uint32Array;
  /** Half-open, Unix milliseconds. */
  readonly at?: readonly [from: number, to: number];
  readonly ingested?: readonly [from: number, to: number];
}

/** A field and what must hold for its value. */
export interface CheckedField {
  readonly path: string;
  readonly matches: (value: JsonValue | undefined) => boolean;
}

const KEYS = [
  "role",
  "session",
  "speaker",
  "ids",
  "at",
  "ingestedAt",
  "metadata",
  "and",
  "or",
  "not",
] as const satisfies readonly (keyof Filter)[];
const RANGES = ["gt", "gte", "lt", "lte"] as const;
const OPERATORS = ["eq", "ne", ...RANGES, "in", "nin"] as const;
const DEEPEST = 16;
const MOST_ITEMS = 10_000;

/** @throws TypeError, RangeError that names the condition by its path. */
export function checkFilter(argument: string, value: unknown): FilterNode {
  return checkNode(argument, value, 1);
}

function checkNode(argument: string, value: unknown, depth: number): FilterNode {
  const filter = expectOptions(argument, value, KEYS) as { [key in keyof Filter]: unknown };
  if (depth > DEEPEST) {
    throw new RangeError(`${argument}: expected at most ${DEEPEST} levels, got more`);
  }
  for (const key of Object.keys(filter) as (keyof Filter)[]) {
    if (filter[key] !== undefined) continue;
    throw new TypeError(`${argument}.${key}: expected a condition, got undefined`);
  }
  const all: FilterNode[] = [];
  const columns = checkColumns(argument, filter);
  if (Object.keys(columns).length > 0) all.push({ kind: "columns", columns });
  if (filter.metadata !== undefined) {
    const metadata = checkMetadataFields(`${argument}.metadata`, filter.metadata);
    if (metadata.fields.length > 0) all.push(metadata);
  }
  for (const kind of ["and", "or"] as const) {
    if (filter[kind] === undefined) continue;
    const nodes = checkList(`${argument}.${kind}`, filter[kind], (at, item) =>
      checkNode(at, item, depth + 1),
    );
    all.push({ kind, nodes });
  }
  if (filter.not !== undefined) {
    all.push({ kind: "not", node: checkNode(`${argument}.not`, filter.not, depth + 1) });
  }
  return all.length === 1 ? all[0]! : { kind: "and", nodes: all };
}

function checkColumns(
  argument: string,
  { role, session, speaker, ids, at, ingestedAt }: { [key in keyof Filter]: unknown },
): ColumnConditions {
  const names = (key: string, value: unknown) => oneOrMany(`${argument}.${key}`, value, checkName);
  const said = at === undefined ? undefined : checkSpan(`${argument}.at`, at);
  const ingested =
    ingestedAt === undefined ? undefined : checkSpan(`${argument}.ingestedAt`, ingestedAt);
  return {
    ...(role !== undefined && { roles: checkRoles(`${argument}.role`, role) }),
    ...(session !== undefined && { sessions: names("session", session) }),
    ...(speaker !== undefined && { speakers: names("speaker", speaker) }),
    ...(ids !== undefined && { origins: checkIds(`${argument}.ids`, ids) }),
    ...(said !== undefined && { at: said }),
    ...(ingested !== undefined && { ingested }),
  };
}

function checkRoles(argument: string, value: unknown): number {
  const roles = oneOrMany(argument, value, (at, item) => expectOneOf(at, item, ROLES));
  return roles.reduce((bits, role) => bits | (1 << ROLES.indexOf(role)), 0);
}

/** An id that no entry can have selects nothing, as one that no entry has. */
function checkIds(argument: string, value: unknown): Uint32Array {
  const numbers = checkList(argument, value, (at, item) => {
    if (typeof item !== "string") throw expected(at, "a string", item);
    return idNumber(item);
  });
  return Uint32Array.from(numbers.filter((number) => number !== undefined));
}

/** Undefined for a span without limits, which is no condition. */
function checkSpan(
  argument: string,
  value: unknown,
): readonly [from: number, to: number] | undefined {
  const span = expectOptions(argument, value, RANGES);
  if (Object.keys(span).length === 0) return undefined;
  let from = Number.NEGATIVE_INFINITY;
  let to = Number.POSITIVE_INFINITY;
  for (const [key, limit] of Object.entries(span)) {
    const at = parseMoment(`${argument}.${key}`, limit);
    // Moments are whole milliseconds: "after" is "from the next one on".
    if (key === "gte") from = Math.max(from, at);
    else if (key === "gt") from = Math.max(from, at + 1);
    else if (key === "lt") to = Math.min(to, at);
    else to = Math.min(to, at + 1);
  }
  return [from, to];
}

/** Without the fields that nothing is asked of. */
function checkMetadataFields(
  argument: string,
  value: unknown,
): Extract<FilterNode, { kind: "metadata" }> {
  if (!isPlainObject(value)) throw expected(argument, "an object of fields", value);
  const checked = Object.keys(value)
    .sort()
    .map((path) => ({ path, matches: checkField(`${argument}.${path}`, value[path]) }));
  const fields = checked.filter(({ path }) => !isEmptyObject(value[path]));
  const paths = fields.map(({ path }) => path);
  const key = JSON.stringify(paths.map((path) => [path, sortedKeys(value[path])]));
  return { kind: "metadata", fields, key };
}

function isEmptyObject(value: unknown): boolean {
  return isPlainObject(value) && Object.keys(value).length === 0;
}

/** So that equal conditions have equal texts. */
function sortedKeys(condition: unknown): unknown {
  return isPlainObject(condition)
    ? Object.entries(condition).sort(([a], [b]) => (a < b ? -1 : 1))
    : condition;
}

function checkField(argument: string, value: unknown): CheckedField["matches"] {
  if (!isPlainObject(value)) return test("eq", checkValue(argument, value));
  const condition = expectOptions(argument, value, OPERATORS);
  const tests = Object.entries(condition).map(([operator, operand]) => {
    const at = `${argument}.${operator}`;
    if (operator === "in" || operator === "nin") {
      return test(operator, checkList(at, operand, checkValue));
    }
    if (operator === "eq" || operator === "ne") return test(operator, checkValue(at, operand));
    if (typeof operand !== "string" && typeof operand !== "number") {
      throw expected(at, "a number or a string", operand);
    }
    return test(operator as (typeof RANGES)[number], checkValue(at, operand));
  });
  return (field) => tests.every((holds) => holds(field));
}

type Operand = FilterValue | readonly FilterValue[];

/** Whether a field's value stands so to the operand. */
function test(operator: (typeof OPERATORS)[number], operand: Operand): CheckedField["matches"] {
  if (operator === "ne") return not(test("eq", operand));
  if (operator === "nin") return not(test("in", operand));
  const holds = (value: JsonValue): boolean => {
    if (operator === "eq") return value === operand;
    if (operator === "in") return (operand as readonly JsonValue[]).includes(value);
    if (typeof value !== typeof operand) return false;
    const [a, b] = [value as string | number, operand as string | number];
    if (operator === "gt") return a > b;
    if (operator === "gte") return a >= b;
    return operator === "lt" ? a < b : a <= b;
  };
  return (value) => {
    if (value === undefined) return false;
    return Array.isArray(value) ? value.some(holds) : holds(value);
  };
}

function not(holds: CheckedField["matches"]): CheckedField["matches"] {
  return (value) => !holds(value);
}

function checkValue(argument: string, value: unknown): FilterValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value !== "number") {
    throw expected(argument, "a string, a number, a boolean or null", value);
  }
  if (!Number.isFinite(value)) throw outOfRange(argument, "a finite number", value);
  return value;
}

function oneOrMany<T>(
  argument: string,
  value: unknown,
  check: (argument: string, item: unknown) => T,
): T[] {
  return Array.isArray(value) ? checkList(argument, value, check) : [check(argument, value)];
}

function checkList<T>(
  argument: string,
  value: unknown,
  check: (argument: string, item: unknown) => T,
): T[] {
  if (!Array.isArray(value)) throw expected(argument, "an array", value);
  if (value.length > MOST_ITEMS) {
    throw new RangeError(
      `${argument}: expected at most ${MOST_ITEMS} items, got ${describe(value.length)}`,
    );
  }
  return checkEach(value, (item, i) => check(`${argument}[${i}]`, item));
}
