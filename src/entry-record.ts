import type { CheckedTurn } from "./turn.js";
import type { JsonObject } from "./types.js";

/**
 * What the bank keeps of an entry beside its tokens and its columns, as JSON in UTF-8; nothing at
 * all where there is nothing to keep, which is the rule. Keys are one letter:
 *
 *   c  tool call's id     n  tool's name     m  metadata
 *   l  how many lone surrogates were replaced     v  version, from 2 on
 *   x  fields of an imported turn that nobody here knows
 */
export interface EntryRecord {
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
  readonly replacedCharacters: number;
  readonly metadata: JsonObject;
  readonly version: number;
  readonly unknown: JsonObject | undefined;
}

interface Stored {
  readonly c?: string;
  readonly n?: string;
  readonly l?: number;
  readonly m?: JsonObject;
  readonly v?: number;
  readonly x?: JsonObject;
}

const utf8 = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const NOTHING = new Uint8Array(0);
const NO_FIELDS: Stored = {};
const NO_METADATA: JsonObject = Object.freeze({});

export function encodeRecord(
  turn: CheckedTurn,
  replaced: number,
  version: number,
  unknown: JsonObject | undefined,
): Uint8Array {
  let json = "";
  if (turn.toolCallId !== undefined) json += `,"c":${JSON.stringify(turn.toolCallId)}`;
  if (turn.toolName !== undefined) json += `,"n":${JSON.stringify(turn.toolName)}`;
  if (replaced > 0) json += `,"l":${replaced}`;
  if (version > 1) json += `,"v":${version}`;
  if (turn.metadata !== undefined) json += `,"m":${turn.metadata}`;
  if (unknown !== undefined) json += `,"x":${JSON.stringify(unknown)}`;
  return json === "" ? NOTHING : utf8.encode(`{${json.slice(1)}}`);
}

export function decodeRecord(bytes: Uint8Array): EntryRecord {
  const stored = bytes.length === 0 ? NO_FIELDS : (JSON.parse(decoder.decode(bytes)) as Stored);
  return {
    toolCallId: stored.c,
    toolName: stored.n,
    replacedCharacters: stored.l ?? 0,
    metadata: stored.m ?? {},
    version: stored.v ?? 1,
    unknown: stored.x,
  };
}

/** Only what filters look at. */
export function decodeMetadata(bytes: Uint8Array): JsonObject {
  if (bytes.length === 0) return NO_METADATA;
  return (JSON.parse(decoder.decode(bytes)) as Stored).m ?? NO_METADATA;
}
