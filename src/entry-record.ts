import type { CheckedTurn } from "./turn.js";
import { ROLES } from "./turn.js";
import type { JsonObject, Role } from "./types.js";

/**
 * What the bank keeps beside an entry's tokens, as JSON in UTF-8. Keys are one letter, since every
 * entry has them, and what is not there has none:
 *
 *   r  role, as its index in ROLES      p  speaker               c  tool call's id
 *   t  time, Unix milliseconds          l  lone surrogates       n  tool's name
 *   s  session's name, on the session's first entry only         m  metadata
 */
export interface EntryRecord {
  readonly role: Role;
  readonly at: number;
  readonly speaker: string | undefined;
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
  readonly replacedCharacters: number;
  readonly metadata: JsonObject;
}

interface Stored {
  readonly r: number;
  readonly t: number;
  readonly p?: string;
  readonly c?: string;
  readonly n?: string;
  readonly l?: number;
  readonly m?: JsonObject;
}

const utf8 = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function encodeRecord(turn: CheckedTurn, replaced: number, isFirst: boolean): Uint8Array {
  let json = `{"r":${ROLES.indexOf(turn.role)},"t":${turn.at}`;
  if (isFirst) json += `,"s":${JSON.stringify(turn.session)}`;
  if (turn.speaker !== undefined) json += `,"p":${JSON.stringify(turn.speaker)}`;
  if (turn.toolCallId !== undefined) json += `,"c":${JSON.stringify(turn.toolCallId)}`;
  if (turn.toolName !== undefined) json += `,"n":${JSON.stringify(turn.toolName)}`;
  if (replaced > 0) json += `,"l":${replaced}`;
  if (turn.metadata !== undefined) json += `,"m":${turn.metadata}`;
  return utf8.encode(`${json}}`);
}

export function decodeRecord(bytes: Uint8Array): EntryRecord {
  const stored = JSON.parse(decoder.decode(bytes)) as Stored;
  return {
    role: ROLES[stored.r]!,
    at: stored.t,
    speaker: stored.p,
    toolCallId: stored.c,
    toolName: stored.n,
    replacedCharacters: stored.l ?? 0,
    metadata: stored.m ?? {},
  };
}
