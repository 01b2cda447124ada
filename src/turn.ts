import {
  checkEach,
  expected,
  expectName,
  expectOneOf,
  expectOptions,
  isPlainObject,
  outOfRange,
} from "./internal/check.js";
import { parseMoment } from "./internal/moment.js";
import { wellFormed } from "./text/tokenizer.js";
import type { Role, Turn } from "./types.js";

export const ROLES = ["user", "assistant", "system", "tool"] as const satisfies readonly Role[];

export const DEFAULT_SESSION = "default";
/** The longest speaker, session, tool name or call id, in UTF-16 units. */
export const LONGEST_NAME = 256;
/** The longest content, in UTF-16 units: positions in a text fit the bank's 32 bits many times over. */
export const LONGEST_CONTENT = 1 << 24;
export const LARGEST_METADATA_BYTES = 64 * 1024;
export const DEEPEST_METADATA = 16;

export const TURN_FIELDS = [
  "role",
  "content",
  "speaker",
  "session",
  "at",
  "toolCallId",
  "toolName",
  "metadata",
  "expiresAt",
] as const satisfies readonly (keyof Turn)[];

/** A turn that was checked and copied: nothing the caller does to its object changes it. */
export interface CheckedTurn {
  readonly role: Role;
  /** As given: lone surrogates are still in it. */
  readonly content: string;
  readonly speaker: string | undefined;
  readonly session: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
  /** As JSON; undefined for an object without keys. */
  readonly metadata: string | undefined;
  /** Unix milliseconds; Infinity: never. */
  readonly expiresAt: number;
}

/**
 * Checks everything about a turn that can be wrong, so that what comes after never has to.
 *
 * @param argument What to call the turn in a complaint: `turn`, or `turns[3]`.
 */
export function checkTurn(argument: string, value: unknown): CheckedTurn {
  const turn = expectOptions(argument, value, TURN_FIELDS) as { [key in keyof Turn]: unknown };
  const role = expectOneOf(`${argument}.role`, turn.role, ROLES);
  if (role !== "tool" && role !== "assistant") {
    for (const field of ["toolCallId", "toolName"] as const) {
      if (turn[field] === undefined) continue;
      throw new TypeError(
        `${argument}.${field}: only a turn of role 'tool' or 'assistant' has one, not '${role}'`,
      );
    }
  }
  const name = (field: "speaker" | "session" | "toolCallId" | "toolName") =>
    turn[field] === undefined ? undefined : checkName(`${argument}.${field}`, turn[field]);
  return {
    role,
    content: checkContent(`${argument}.content`, turn.content),
    speaker: name("speaker"),
    session: name("session") ?? DEFAULT_SESSION,
    at: turn.at === undefined ? Date.now() : parseMoment(`${argument}.at`, turn.at),
    toolCallId: name("toolCallId"),
    toolName: name("toolName"),
    metadata: checkMetadata(`${argument}.metadata`, turn.metadata),
    expiresAt:
      turn.expiresAt === undefined
        ? Number.POSITIVE_INFINITY
        : parseMoment(`${argument}.expiresAt`, turn.expiresAt),
  };
}

/** A name, with U+FFFD for lone surrogates, which UTF-8 cannot hold. */
export function checkName(argument: string, value: unknown): string {
  return wellFormed(expectName(argument, value, LONGEST_NAME)).text;
}

function checkContent(argument: string, value: unknown): string {
  let content: string;
  if (typeof value === "string") content = value;
  else if (Array.isArray(value)) {
    content = checkEach(value, (part, i) => checkPart(`${argument}[${i}]`, part)).join("\n");
  } else throw expected(argument, "a string or an array of text parts", value);
  if (content.length > LONGEST_CONTENT) {
    throw outOfRange(argument, `at most ${LONGEST_CONTENT} characters`, content);
  }
  return content;
}

function checkPart(argument: string, value: unknown): string {
  const part = expectOptions(argument, value, ["type", "text"]);
  if (part["type"] !== "text") throw expected(`${argument}.type`, "'text'", part["type"]);
  if (typeof part["text"] !== "string") {
    throw expected(`${argument}.text`, "a string", part["text"]);
  }
  return part["text"];
}

function checkMetadata(argument: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (!isPlainObject(value)) throw expected(argument, "an object of JSON values", value);
  if (Object.keys(value).length === 0) return undefined;
  checkJson(argument, value, 1);
  const json = JSON.stringify(value);
  const bytes = Buffer.byteLength(json);
  if (bytes > LARGEST_METADATA_BYTES) {
    throw new RangeError(
      `${argument}: expected at most ${LARGEST_METADATA_BYTES} bytes of JSON, got ${bytes}`,
    );
  }
  return json;
}

/** JSON.stringify would leave out, or change, what JSON cannot hold: here it is refused. */
function checkJson(path: string, value: unknown, depth: number): void {
  const isArray = Array.isArray(value);
  if (isArray || isPlainObject(value)) {
    if (depth > DEEPEST_METADATA) {
      throw new RangeError(`${path}: expected at most ${DEEPEST_METADATA} levels, got more`);
    }
    const { toJSON } = value as { readonly toJSON?: unknown };
    if (typeof toJSON === "function") throw expected(`${path}.toJSON`, "a JSON value", toJSON);
    if (isArray) {
      for (const [i, item] of value.entries()) checkJson(`${path}[${i}]`, item, depth + 1);
      return;
    }
    for (const key of Object.keys(value)) checkJson(`${path}.${key}`, value[key], depth + 1);
  } else if (typeof value === "number" ? !Number.isFinite(value) : !isJsonScalar(value)) {
    throw expected(path, "a JSON value", value);
  }
}

function isJsonScalar(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "boolean";
}
