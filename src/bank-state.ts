import type { EncodedTurn } from "./encode-turn.js";
import { decodeRecord, type EntryRecord, encodeRecord } from "./entry-record.js";
import { Moments } from "./internal/moments.js";
import { Names, NamesToCome } from "./internal/names.js";
import { SpeakerWords } from "./internal/speakers.js";
import { TurnIndex } from "./internal/turn-index.js";
import type { AppendBatch, NativeBank } from "./native/bank-binding.js";
import type { Candidate } from "./pack/candidate.js";
import type { Tokenizer } from "./text/tokenizer.js";
import type { AddResult, Entry, Role } from "./types.js";

/** Stands for the speaker of an entry without one. */
const NO_SPEAKER = 0xffffffff;

/**
 * One bank: the native streams, and what belongs to names, which only TypeScript knows.
 *
 * Ids. The entry of ordinal i (0 for the first one added) has id `e` and i + 1: an id never changes,
 * and a later entry has a greater number.
 *
 * Invariant: nothing here changes unless the native append has succeeded, and then all of it does.
 */
export class BankState {
  readonly native: NativeBank;
  readonly moments = new Moments();
  readonly speakerWords = new SpeakerWords();
  readonly #tokenizer: Tokenizer;
  readonly #sessions = new Names();
  readonly #speakers = new Names();
  readonly #turns = new TurnIndex();

  constructor(native: NativeBank, tokenizer: Tokenizer) {
    this.native = native;
    this.#tokenizer = tokenizer;
  }

  get entryCount(): number {
    return this.moments.length;
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  /** Appends all turns, or throws and appends none. */
  append(turns: readonly EncodedTurn[]): AddResult[] {
    const newSessions = new NamesToCome(this.#sessions);
    const newSpeakers = new NamesToCome(this.#speakers);
    const sessions = new Uint32Array(turns.length);
    const speakers = new Uint32Array(turns.length).fill(NO_SPEAKER);
    const records = turns.map(({ turn, replacedCharacters }, i) => {
      const session = newSessions.number(turn.session);
      sessions[i] = session.number;
      if (turn.speaker !== undefined) speakers[i] = newSpeakers.number(turn.speaker).number;
      return encodeRecord(turn, replacedCharacters, session.isFirst);
    });
    const first = this.native.append(toBatch(turns, sessions, speakers, records));
    newSessions.commit();
    for (const name of newSpeakers.commit()) {
      this.speakerWords.add(name, this.#speakers.numberOf(name)!);
    }
    return turns.map((turn, i) => {
      this.moments.push(turn.turn.at);
      const isKnown = this.#turns.add(turn, sessions[i]!, first + i, (ordinal) =>
        this.#equals(ordinal, turn, sessions[i]!),
      );
      return { id: idOf(first + i), status: isKnown ? "duplicate" : "added" };
    });
  }

  /** The entries of these ordinals, in that order. */
  read(ordinals: Uint32Array): StoredEntry[] {
    const contents = this.#contents(ordinals);
    const records = this.#records(ordinals);
    const spans = this.native.spans(ordinals);
    const sessions = this.native.sessionsOf(ordinals);
    return contents.map((content, i) => {
      const record = records[i]!;
      // Field by field: spreading takes as long as all the rest of this.
      return {
        ordinal: ordinals[i]!,
        role: record.role,
        speaker: record.speaker,
        session: this.#sessions.nameOf(sessions[i]!),
        at: record.at,
        content,
        replacedCharacters: record.replacedCharacters,
        toolCallId: record.toolCallId,
        toolName: record.toolName,
        metadata: record.metadata,
        span: [spans[2 * i]!, spans[2 * i + 1]!],
      };
    });
  }

  #contents(ordinals: Uint32Array): string[] {
    const { tokens, offsets } = this.native.tokens(ordinals);
    return this.#tokenizer.decodeMany(tokens, offsets);
  }

  #records(ordinals: Uint32Array): EntryRecord[] {
    const { bytes, offsets } = this.native.metadata(ordinals);
    return Array.from(ordinals, (_, i) => decodeRecord(bytes.subarray(offsets[i], offsets[i + 1])));
  }

  #equals(ordinal: number, { turn, tokens }: EncodedTurn, session: number): boolean {
    const only = Uint32Array.of(ordinal);
    const [record] = this.#records(only);
    return (
      record!.role === turn.role &&
      record!.speaker === turn.speaker &&
      this.native.sessionsOf(only)[0] === session &&
      equal(this.native.tokens(only).tokens, tokens)
    );
  }
}

/** An entry as it was read back, before it is made into what callers see. */
export interface StoredEntry extends EntryRecord, Candidate {
  readonly at: number;
  readonly role: Role;
  readonly speaker: string | undefined;
  readonly toolName: string | undefined;
  readonly span: readonly [start: number, end: number];
}

export function toEntry(stored: StoredEntry): Entry {
  return {
    id: idOf(stored.ordinal),
    role: stored.role,
    speaker: stored.speaker,
    session: stored.session,
    at: new Date(stored.at),
    content: stored.content,
    replacedCharacters: stored.replacedCharacters,
    toolCallId: stored.toolCallId,
    toolName: stored.toolName,
    metadata: stored.metadata,
    span: stored.span,
  };
}

export function idOf(ordinal: number): string {
  return `e${ordinal + 1}`;
}

/** The ordinal of an id, or undefined where no entry can have it. */
export function ordinalOf(id: string): number | undefined {
  return /^e[1-9]\d{0,9}$/.test(id) ? Number(id.slice(1)) - 1 : undefined;
}

function equal(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

function toBatch(
  turns: readonly EncodedTurn[],
  sessions: Uint32Array,
  speakers: Uint32Array,
  records: readonly Uint8Array[],
): AppendBatch {
  const vectors = turns.flatMap(({ vector }) => (vector === undefined ? [] : [vector]));
  return {
    tokens: joinArrays(turns.map(({ tokens }) => tokens)),
    tokenCounts: Uint32Array.from(turns, ({ tokens }) => tokens.length),
    signatures: joinArrays(turns.map(({ signatures }) => signatures)),
    stems: joinArrays(turns.map(({ stems }) => stems)),
    codeTokens: joinArrays(turns.map(({ codeTokens }) => codeTokens)),
    codeCounts: Uint32Array.from(turns, ({ stems }) => stems.length),
    sessions,
    speakers,
    vectors: vectors.length === 0 ? new Float32Array(0) : joinArrays(vectors),
    metadata: joinArrays(records),
    metadataLengths: Uint32Array.from(records, ({ length }) => length),
  };
}

interface Joinable<T> {
  readonly length: number;
  set(values: T, offset: number): void;
}

/** One array after the other; the array itself where there is one. REQUIRES: at least one. */
function joinArrays<T extends Joinable<T>>(arrays: readonly T[]): T {
  const [first] = arrays as readonly [T];
  if (arrays.length === 1) return first;
  const length = arrays.reduce((sum, array) => sum + array.length, 0);
  const joined = new (first.constructor as new (length: number) => T)(length);
  let at = 0;
  for (const array of arrays) {
    joined.set(array, at);
    at += array.length;
  }
  return joined;
}
