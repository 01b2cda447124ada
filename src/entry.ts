import { decodeRecord } from "./entry-record.js";
import { idOf } from "./ids.js";
import { type EntryColumns, type NativeView, NONE } from "./native/store-binding.js";
import type { Candidate, Piece } from "./pack/candidate.js";
import type { Tokenizer } from "./text/tokenizer.js";
import { ROLES } from "./turn.js";
import type { Entry, JsonObject, Role } from "./types.js";

/** An entry as it was read back, before it is made into what callers see. */
export interface StoredEntry extends Candidate {
  /** The number of its first version. */
  readonly origin: number;
  readonly at: number;
  readonly ingested: number;
  /** Infinity: never. */
  readonly expires: number;
  readonly role: Role;
  readonly speaker: string | undefined;
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
  readonly replacedCharacters: number;
  readonly metadata: JsonObject;
  readonly version: number;
  readonly unknown: JsonObject | undefined;
  readonly span: readonly [start: number, end: number];
}

/** The entries of these numbers, in that order. */
export function readEntries(
  view: NativeView,
  numbers: Uint32Array,
  tokenizer: Tokenizer,
): StoredEntry[] {
  const columns = view.read(numbers);
  const contents = tokenizer.decodeMany(columns.tokens, columns.tokenOffsets);
  return contents.map((content, i) => toStored(columns, i, numbers[i]!, content));
}

/** What most entries have, without an array each. */
const NO_EXTRAS = new Uint8Array(0);

/** The entry at index `i` of what was read; `content` is that of its `piece`, or all of it. */
export function toStored(
  columns: EntryColumns,
  i: number,
  number: number,
  content: string,
  piece?: Piece,
): StoredEntry {
  const { extras, extrasOffsets, speakers, speakerNames, spans } = columns;
  const [from, to] = [extrasOffsets[i]!, extrasOffsets[i + 1]!];
  const record = decodeRecord(from === to ? NO_EXTRAS : extras.subarray(from, to));
  const speaker = speakers[i]!;
  // Field by field: spreading takes as long as all the rest of this.
  return {
    ordinal: number,
    origin: columns.origins[i]!,
    role: ROLES[columns.roles[i]!]!,
    speaker: speaker === NONE ? undefined : speakerNames[speaker]!,
    session: columns.sessionNames[columns.sessions[i]!] ?? "",
    at: columns.at[i]!,
    ingested: columns.ingested[i]!,
    expires: columns.expires[i]!,
    content,
    piece,
    replacedCharacters: record.replacedCharacters,
    toolCallId: record.toolCallId,
    toolName: record.toolName,
    metadata: record.metadata,
    version: record.version,
    unknown: record.unknown,
    span: [spans[2 * i]!, spans[2 * i + 1]!],
  };
}

export function toEntry(stored: StoredEntry): Entry {
  return {
    id: idOf(stored.origin),
    role: stored.role,
    speaker: stored.speaker,
    session: stored.session,
    at: new Date(stored.at),
    ingestedAt: new Date(stored.ingested),
    expiresAt: stored.expires === Number.POSITIVE_INFINITY ? undefined : new Date(stored.expires),
    version: stored.version,
    content: stored.content,
    replacedCharacters: stored.replacedCharacters,
    toolCallId: stored.toolCallId,
    toolName: stored.toolName,
    metadata: stored.metadata,
    span: stored.span,
  };
}
