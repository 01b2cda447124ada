import { isDeepStrictEqual } from "node:util";
import { isPlainObject } from "../internal/check.js";

/** LangGraph's comparisons of a value's field. */
const COMPARE: Readonly<Record<string, (value: unknown, operand: unknown) => boolean>> = {
  $eq: isDeepStrictEqual,
  $ne: (value, operand) => !isDeepStrictEqual(value, operand),
  $gt: (value, operand) => order(value, operand) > 0,
  $gte: (value, operand) => order(value, operand) >= 0,
  $lt: (value, operand) => order(value, operand) < 0,
  $lte: (value, operand) => order(value, operand) <= 0,
};

/**
 * Whether each field that the filter names is what it says: a value, or `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte` and
 * a value.
 *
 * @throws TypeError for an operator that is none of these.
 */
export function matchesFilter(value: object, filter: object): boolean {
  return Object.entries(filter).every(([field, wanted]: [string, unknown]) => {
    const own = (value as Record<string, unknown>)[field];
    if (!isPlainObject(wanted)) return isDeepStrictEqual(own, wanted);
    const operators = Object.entries(wanted);
    if (!operators.some(([name]) => name.startsWith("$"))) return isDeepStrictEqual(own, wanted);
    return operators.every(([name, operand]) => {
      const compare = COMPARE[name];
      if (compare === undefined) {
        const known = Object.keys(COMPARE).join(", ");
        throw new TypeError(`filter.${field}: expected one of ${known}, got "${name}"`);
      }
      return compare(own, operand);
    });
  });
}

/** Below, at or above 0; NaN, of which no comparison holds, where the two are of different kinds. */
function order(value: unknown, operand: unknown): number {
  if (typeof value === "number" && typeof operand === "number") return value - operand;
  if (typeof value !== "string" || typeof operand !== "string") return Number.NaN;
  return value < operand ? -1 : value > operand ? 1 : 0;
}
