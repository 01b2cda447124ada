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
  /** Of role `tool` only: the call that this answers. */
  readonly toolCallId?: string | undefined;
  /** Of role `tool` only: the tool that was called. */
  readonly toolName?: string | undefined;
  /** Kept as it is, and not searched: a JSON object of at most 64 KiB and 16 levels. */
  readonly metadata?: JsonObject | undefined;
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
   * It is stored all the same: something said twice was said twice.
   */
  readonly status: "added" | "duplicate";
}

/** A turn as it is stored. */
export interface Entry {
  /** `e1`, `e2`, ... in the order of adding. */
  readonly id: string;
  readonly role: Role;
  readonly speaker: string | undefined;
  readonly session: string;
  /** When it was said. */
  readonly at: Date;
  /** The text that was added, byte for byte. */
  readonly content: string;
  /** How many lone surrogates of the text were replaced by U+FFFD, because UTF-8 has none. */
  readonly replacedCharacters: number;
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
  readonly metadata: JsonObject;
  /** The entry's tokens in its bank, as a half-open range of positions. */
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

/** Why an entry was recalled. The four numbers add up to its score. */
export interface Reasons {
  /** The question's words that the entry itself holds. */
  readonly signature: number;
  /** The question's words that only entries beside it hold. */
  readonly neighbour: number;
  /** Its meaning as a whole, and that of the entries beside it. */
  readonly dense: number;
  /** That the question names its speaker; or, in a baseline, its rank. */
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
  /** The groups that the items fell into. Always empty: no strategy of this version has groups. */
  readonly atoms: readonly [];
  readonly strategy: string;
  readonly packer: string;
  readonly timings: RecallTimings;
}

/** How much a bank holds. */
export interface BankStats {
  readonly entries: number;
  readonly tokens: number;
  readonly sessions: number;
  /** Native memory of the bank, in all. */
  readonly bytes: number;
  /** The same by structure. */
  readonly parts: Readonly<Record<string, number>>;
}
