import { isPlainObject } from "../../internal/check.js";
import type { JsonObject, JsonValue } from "../../types.js";

/** What a path with dots leads to in a payload, unless a field has exactly that name. */
export function valueAt(payload: JsonObject, path: string): JsonValue | undefined {
  if (Object.hasOwn(payload, path)) return payload[path];
  return path.split(".").reduce<JsonValue | undefined>((value, name) => {
    if (!isPlainObject(value) || !Object.hasOwn(value, name)) return undefined;
    return (value as JsonObject)[name];
  }, payload);
}

/** The items of a list, or the one value, or nothing where there is none. */
export function valuesAt(payload: JsonObject, path: string): readonly JsonValue[] {
  const value = valueAt(payload, path);
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}
