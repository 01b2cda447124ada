import type { StoredEntry } from "../entry.js";
import { idNumber, idOf } from "../ids.js";
import { expected, expectInteger, expectName, isPlainObject } from "../internal/check.js";
import { parseMoment } from "../internal/moment.js";
import { checkBankName } from "../options.js";
import { type CheckedTurn, checkTurn, TURN_FIELDS } from "../turn.js";
import type { JsonObject } from "../types.js";

/**
 * The lines of an export, JSON each, ended by a line feed:
 *
 *   { "format": "dentate", "version": 1, "exportedAt": "2026-03-01T12:00:00.000Z" }
 *   { "bank": "user-42", "numbers": 3 }                        before the bank's entries
 *   { "bank": "user-42", "id": "e1", "role": "user", ... }     an entry, in the order of adding
 *
 * `numbers` says how many ids the bank has given out, those of deleted entries too, so that an import
 * gives none of them again. An entry has the fields of an `Entry`, dates as ISO 8601, without those
 * that have nothing to say; of a later version of an entry, `version` is above 1 and `number` its own
 * place in the bank. Other fields are kept with the entry and are there again in its next export.
 */
export const FORMAT = "dentate";
export const FORMAT_VERSION = 1;

export interface HeaderLine {
  readonly kind: "header";
}
export interface BankLine {
  readonly kind: "bank";
  readonly bank: string;
  readonly numbers: number;
}
export interface EntryLine {
  readonly kind: "entry";
  readonly bank: string | undefined;
  /** Of the first version; undefined in a line that was made by hand. */
  readonly origin: number | undefined;
  /** Of this version. */
  readonly number: number | undefined;
  readonly version: number;
  readonly turn: CheckedTurn;
  readonly ingestedAt: number | undefined;
  readonly replacedCharacters: number;
  readonly unknown: JsonObject | undefined;
}
export type Line = HeaderLine | BankLine | EntryLine;

const OF_TURN: ReadonlySet<string> = new Set(TURN_FIELDS);
const ENTRY_FIELDS = ["bank", "id", "number", "version", "ingestedAt", "replacedCharacters"];
const LARGEST_NUMBER = 0xfffffffe;

export function headerLine(now: number): string {
  return line({
    format: FORMAT,
    version: FORMAT_VERSION,
    exportedAt: new Date(now).toISOString(),
  });
}

export function bankLine(bank: string, numbers: number): string {
  return line({ bank, numbers });
}

export function entryLine(bank: string, entry: StoredEntry): string {
  const { metadata, unknown } = entry;
  return line({
    ...unknown,
    bank,
    id: idOf(entry.origin),
    ...(entry.ordinal !== entry.origin && { number: entry.ordinal }),
    ...(entry.version > 1 && { version: entry.version }),
    role: entry.role,
    speaker: entry.speaker,
    session: entry.session,
    at: new Date(entry.at).toISOString(),
    ingestedAt: new Date(entry.ingested).toISOString(),
    expiresAt:
      entry.expires === Number.POSITIVE_INFINITY
        ? undefined
        : new Date(entry.expires).toISOString(),
    content: entry.content,
    ...(entry.replacedCharacters > 0 && { replacedCharacters: entry.replacedCharacters }),
    toolCallId: entry.toolCallId,
    toolName: entry.toolName,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
  });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/**
 * @param where What to call the line in a complaint: `line 12`.
 * @throws TypeError, RangeError: it is none of an export's lines.
 */
export function parseLine(where: string, text: string): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new TypeError(`${where}: expected a JSON object: ${(cause as Error).message}`, { cause });
  }
  if (!isPlainObject(value)) throw expected(where, "a JSON object", value);
  if (value["format"] !== undefined && value["content"] === undefined) {
    return parseHeader(where, value);
  }
  if (value["content"] === undefined && value["numbers"] !== undefined) {
    return {
      kind: "bank",
      bank: checkBankName(`${where}.bank`, value["bank"]),
      numbers: expectInteger(`${where}.numbers`, value["numbers"], 0, LARGEST_NUMBER),
    };
  }
  return parseEntry(where, value);
}

function parseHeader(where: string, value: Record<string, unknown>): HeaderLine {
  if (value["format"] !== FORMAT) throw expected(`${where}.format`, `'${FORMAT}'`, value["format"]);
  expectInteger(`${where}.version`, value["version"], 1, FORMAT_VERSION);
  return { kind: "header" };
}

function parseEntry(where: string, value: Record<string, unknown>): EntryLine {
  const { bank, id, number, version = 1, ingestedAt, replacedCharacters = 0 } = value;
  const turn: Record<string, unknown> = {};
  const unknown: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (OF_TURN.has(key)) turn[key] = item;
    // Not by assignment: a key may be `__proto__`.
    else if (!ENTRY_FIELDS.includes(key)) Object.defineProperty(unknown, key, field(item));
  }
  const origin = id === undefined ? undefined : parseId(`${where}.id`, id);
  return {
    kind: "entry",
    bank: bank === undefined ? undefined : checkBankName(`${where}.bank`, bank),
    origin,
    number:
      number === undefined
        ? origin
        : expectInteger(`${where}.number`, number, origin ?? 0, LARGEST_NUMBER),
    version: expectInteger(`${where}.version`, version, 1, LARGEST_NUMBER),
    turn: checkTurn(where, turn),
    ingestedAt:
      ingestedAt === undefined ? undefined : parseMoment(`${where}.ingestedAt`, ingestedAt),
    replacedCharacters: expectInteger(
      `${where}.replacedCharacters`,
      replacedCharacters,
      0,
      LARGEST_NUMBER,
    ),
    unknown: Object.keys(unknown).length === 0 ? undefined : (unknown as JsonObject),
  };
}

function field(value: unknown): PropertyDescriptor {
  return { value, enumerable: true, configurable: true, writable: true };
}

function parseId(argument: string, value: unknown): number {
  const number = idNumber(expectName(argument, value, 32));
  if (number === undefined) throw expected(argument, "an id such as 'e12'", value);
  return number;
}
