import type { AcceleratorName, Operation } from "./accelerators/accelerator.js";

/** Who a turn comes from. */
export type Role = "user" | "assistant" | "system" | "tool";

/** What JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** An object of JSON values. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** One text of a turn that has several. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** What is added: one message, tool call's result, observation or note. */
export interface Turn {
  readonly role: Role;
  /** The text, or several texts: those are kept as one, joined by line feeds. */
  readonly content: string | readonly TextPart[];
  /** The name of who speaks, where the role alone does not say it. Found by recall like a word. */
  readonly speaker?: string | undefined;
  /** The conversation or run that the turn belongs to; `default` unless given. */
  readonly session?: string | undefined;
  /** When it was said: a date, an ISO 8601 text (UTC unless it has an offset) or Unix milliseconds; now unless given. */
  readonly at?: Date | string | number | undefined;
  /**
   * Of role `tool`: the call that this answers; of `assistant`: the one that this makes. A call and its
   * answers are recalled together or not at all: turns of one session, at most 16 apart.
   */
  readonly toolCallId?: string | undefined;
  /** Of these roles: the tool that was called. */
  readonly toolName?: string | undefined;
  /** Kept as it is, and not searched: a JSON object of at most 64 KiB and 16 levels. Filters look at it. */
  readonly metadata?: JsonObject | undefined;
  /** When it is to be forgotten, in the same forms as `at`: from then on no call finds it. Never unless given. */
  readonly expiresAt?: Date | string | number | undefined;
}

/** What {@link Bank.update} changes: what is absent stays, and null takes away what a turn may lack. */
export interface TurnPatch {
  readonly role?: Role | undefined;
  readonly content?: string | readonly TextPart[] | undefined;
  readonly speaker?: string | null | undefined;
  readonly session?: string | undefined;
  readonly at?: Date | string | number | undefined;
  readonly toolCallId?: string | null | undefined;
  readonly toolName?: string | null | undefined;
  /** Replaces all of the old metadata. */
  readonly metadata?: JsonObject | null | undefined;
  readonly expiresAt?: Date | string | number | null | undefined;
}

/** What became of one added turn. */
export interface AddResult {
  /**
   * The entry's id: unique in its bank, and later for later entries. A bank that was dropped and
   * filled anew counts from the start again.
   */
  readonly id: string;
  /**
   * `duplicate` where the bank already held a turn of the same content, role, speaker and session.
   * It is stored all the same, since something said twice was said twice; unless `dedupe` was asked
   * for: then `id` is that of the entry which was there.
   */
  readonly status: "added" | "duplicate";
}

/**
 * What became of a turn that says nothing but what was recalled, where `stripRecalled` leaves that out:
 * it is not stored, since all of it is already.
 */
export interface RecalledOnly {
  readonly id?: undefined;
  readonly status: "recalled";
}

/** A turn as it is stored. */
export interface Entry {
  /** `e1`, `e2`, ... in the order of adding. */
  readonly id: string;
  readonly role: Role;
  readonly speaker: string | undefined;
  readonly session: string;
  /** When it was said: event time. */
  readonly at: Date;
  /** When the memory took it in; of an entry that was updated, this version of it. */
  readonly ingestedAt: Date;
  /** When it is to be forgotten; undefined: never. */
  readonly expiresAt: Date | undefined;
  /** 1, and one more with each update. */
  readonly version: number;
  /** The text that was added, byte for byte. */
  readonly content: string;
  /** How many lone surrogates of the text were replaced by U+FFFD, because UTF-8 has none. */
  readonly replacedCharacters: number;
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
  readonly metadata: JsonObject;
  /** The entry's tokens in the part of the bank that it lies in, as a half-open range of positions. */
  readonly span: readonly [start: number, end: number];
}

/** A word of the question that an entry holds, or comes close to. */
export interface WordMatch {
  /** The word as the question has it. */
  readonly word: string;
  /** The entry's word that is most like it; or its speaker's name, or its date, if that is named. */
  readonly matched: string;
  /** From 0 to 1; 1 for the same word or another form of it. */
  readonly similarity: number;
  /** How much of the question the word is, by its rarity: at most 1 for all words together. */
  readonly weight: number;
}

/** Why an entry was recalled. The five numbers add up to its score. */
export interface Reasons {
  /** The question's words that the entry itself holds. */
  readonly signature: number;
  /** The question's words that only entries beside it hold. */
  readonly neighbour: number;
  /** Its meaning as a whole, and that of the entries beside it. */
  readonly dense: number;
  /** That the question names its time, or its place in the order of things. */
  readonly place: number;
  /** The words of the question that name them: "last week", "step 12". */
  readonly places: readonly string[];
  /** That the question names its speaker, how recent it is, less what was forgotten; or, in a baseline,
   * its rank. */
  readonly other: number;
  /** The words that matched, those that count most first. */
  readonly words: readonly WordMatch[];
}

/** One entry of a recall. */
export interface RecallItem extends Entry {
  /** What it ranks by; to be compared within one recall only. */
  readonly score: number;
  readonly reasons: Reasons;
  /** Where `content` has words that match the question: half-open ranges of UTF-16 units. */
  readonly highlights: readonly (readonly [start: number, end: number])[];
  /**
   * What of `content` is in the text: half-open ranges of UTF-16 units, in order. All of it, unless the
   * entry is long and only some pieces of it answer the question.
   */
  readonly pieces: readonly (readonly [start: number, end: number])[];
}

/** Milliseconds that each stage took. */
export interface RecallTimings {
  /** The caller's keyword step; 0 without one. */
  readonly keywords: number;
  /** The question's words and their signatures. */
  readonly encode: number;
  /** Search and ranking, away from the JavaScript thread. */
  readonly rank: number;
  /** Reading the entries back, and packing them. */
  readonly pack: number;
  readonly total: number;
  /** What of the ranking ran on an accelerator; what is not named here ran in the engine itself. */
  readonly accelerators: readonly AcceleratorTiming[];
}

/** An operation of a recall that ran on an accelerator. */
export interface AcceleratorTiming {
  readonly operation: Operation;
  readonly accelerator: AcceleratorName;
  readonly ms: number;
}

/** What a recall gives. */
export interface Recall {
  /** The prompt text: at most `budget` tokens. */
  readonly text: string;
  /** The tokens of `text`, as the store's tokenizer counts them, or `countTokens`. */
  readonly tokens: number;
  readonly budget: number;
  /** The entries in `text`, best first. */
  readonly items: readonly RecallItem[];
  /** The ids of entries that ranked above some of `items` and did not fit. */
  readonly skipped: readonly string[];
  /** The atoms that the items' chunks are in, nearest first; none where the strategy knows none. */
  readonly atoms: readonly RecalledAtom[];
  readonly strategy: string;
  readonly packer: string;
  readonly timings: RecallTimings;
}

/** A group of chunks that are about one thing, and what of it is in a recall. */
export interface RecalledAtom {
  /** Its number in the bank; of `streaming-proto` and its like, in this recall. */
  readonly atom: number;
  /** That of its best item. */
  readonly score: number;
  /** Of its items, best first. */
  readonly ids: readonly string[];
}

/** What {@link Memory.purge} did. */
export interface PurgeReceipt {
  /** Entries and old versions whose bytes are gone. */
  readonly entries: number;
  readonly segmentsRewritten: number;
  readonly bytesFreed: number;
  /**
   * What may still hold them, in words: readers in other processes that have old files open. Backups
   * and exports are nothing that a store knows of.
   */
  readonly unreached: readonly string[];
}

/** One place where a store's files are not what they were when they were written. */
export interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly problem: string;
}

/** What a store's files and memory come to. */
export interface StorageStats {
  readonly banks: number;
  readonly files: number;
  readonly fileBytes: number;
  /** Of these, what is not yet in segments. */
  readonly logBytes: number;
  readonly segments: number;
  /** Native memory of the banks that are loaded. */
  readonly memoryBytes: number;
  readonly loadedBanks: number;
}

/** A session's entries, in numbers. */
export interface SessionSummary {
  readonly session: string;
  readonly entries: number;
  readonly tokens: number;
  /** When the first and the last of them was said. */
  readonly from: Date;
  readonly to: Date;
}

/** A bank's chunks on a plane: those that are about the same lie together. */
export interface BankMap {
  readonly chunks: readonly MapChunk[];
  /** Where the question lies; undefined without one, or where it says nothing. */
  readonly question: readonly [x: number, y: number] | undefined;
  /** The bank's chunks, of which `chunks` are some, evenly spread, if it has more than were asked for. */
  readonly total: number;
  /** How much of all differences between chunks each axis shows: from 0 to 1. */
  readonly shares: readonly [x: number, y: number];
}

/** One chunk of a {@link BankMap}. */
export interface MapChunk {
  /** The atom's number in the bank; undefined for a chunk that is in none, or not yet. */
  readonly atom: number | undefined;
  readonly x: number;
  readonly y: number;
  /** Its entries, in their order. */
  readonly ids: readonly string[];
}

/** How much a bank holds. */
export interface BankStats {
  readonly entries: number;
  readonly tokens: number;
  readonly sessions: number;
  /** Chunks that are recorded, their atoms, and the chunks of the largest of these. */
  readonly chunks: number;
  readonly atoms: number;
  readonly largestAtom: number;
  /** Native memory of the bank; what is mapped from files does not count. */
  readonly bytes: number;
}
