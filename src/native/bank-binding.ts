/** Stands for "none" wherever an ordinal or an entry is expected. */
export const NONE = 0xffffffff;

/** n entries, all or nothing: parallel arrays, those of all entries concatenated. */
export interface AppendBatch {
  /** o200k_base ids. */
  readonly tokens: Uint32Array;
  readonly tokenCounts: Uint32Array;
  /** Row-major, bits / 64 values a signature. */
  readonly signatures: BigUint64Array;
  readonly stems: BigUint64Array;
  /** For each signature the index, within its entry, of the token it starts at; ascending. */
  readonly codeTokens: Uint32Array;
  readonly codeCounts: Uint32Array;
  /** Ordinals below 2^24, dense from 0. */
  readonly sessions: Uint32Array;
  /** Ordinals, or {@link NONE}. */
  readonly speakers: Uint32Array;
  /** n x dimensions; empty where the bank has none. */
  readonly vectors: Float32Array;
  /** Opaque. */
  readonly metadata: Uint8Array;
  readonly metadataLengths: Uint32Array;
}

export interface SearchWeights {
  /** Of the cosine. */
  readonly dense: number;
  /** Of an entry being said by a speaker the question names. */
  readonly speaker: number;
  /** Of a match 1, 2, 3 and 4 entries away in the session: four numbers. */
  readonly neighbours: Float32Array;
  /** How far an entry's matches are divided by its length over the mean: 0 not, towards 1 in full. */
  readonly length: number;
  /** Codes that could give less than this share of a signature score are not looked up. */
  readonly prune: number;
  /** The rarest so many signatures of the question count. */
  readonly codes: number;
  /** Entries looked up, in all: the codes that give least are left out beyond it. */
  readonly visits: number;
}

export interface SearchQuery {
  readonly signatures: BigUint64Array;
  readonly stems: BigUint64Array;
  /** For each signature, which word of the question it is of. */
  readonly wordOf: Uint32Array;
  readonly radius: number;
  readonly limit: number;
  readonly weights: SearchWeights;
  readonly vector?: Float32Array | undefined;
  /** The speakers that the question names, and, in parallel, the index of the signature that names
   * each: it matches all that the speaker said. {@link NONE} where no signature does. */
  readonly speakers?: Uint32Array | undefined;
  readonly speakerCodes?: Uint32Array | undefined;
  /** Three numbers a mark: the index of a signature, and the entries [from, to) that it matches
   * whatever they say: those of a date the question names, for example. */
  readonly marks?: Uint32Array | undefined;
}

export interface ConjunctiveQuery {
  readonly signatures: BigUint64Array;
  /** Without them only bits count, as in the paper. */
  readonly stems?: BigUint64Array | undefined;
  readonly radius: number;
  readonly limit: number;
}

/** Parallel arrays, best first. */
export interface SearchResult {
  readonly entries: Uint32Array;
  readonly scores: Float32Array;
  readonly signatureScores: Float32Array;
  readonly denseScores: Float32Array;
  /** Of the query's signatures: how much a full match of each is of a signature score. Their sum is
   * 1; those left out have 0. Empty for `searchAll`. */
  readonly shares: Float32Array;
}

export interface BankStats {
  readonly entries: number;
  readonly tokens: number;
  /** Length of the signature stream. */
  readonly codes: number;
  /** Distinct codes: words of the signature dictionary. */
  readonly words: number;
  /** What each structure has allocated, in bytes. */
  readonly bytes: {
    readonly content: number;
    readonly codes: number;
    readonly tokenCodes: number;
    readonly symbols: number;
    readonly dictionary: number;
    readonly entries: number;
    readonly metadata: number;
    readonly vectors: number;
    readonly bank: number;
  };
  readonly sizeInBytes: number;
}

/**
 * One bank: streams, dictionary, entries, searches (native/bank/bank.h). Entries are numbered from 0
 * in the order they were appended. Arguments are trusted to be of the right kind: what is not
 * throws `DENTATE_INTERNAL`.
 */
export interface NativeBank {
  readonly entryCount: number;
  readonly tokenCount: number;
  /** Returns the first new entry. The next search sees them all. */
  append(batch: AppendBatch): number;
  /** The tokens of entries[i] are tokens[offsets[i]] up to tokens[offsets[i + 1]]. */
  tokens(entries: Uint32Array): { tokens: Uint32Array; offsets: Uint32Array };
  tokenCounts(entries: Uint32Array): Uint32Array;
  /** Two numbers an entry: its half-open interval of the bank's tokens. */
  spans(entries: Uint32Array): Uint32Array;
  metadata(entries: Uint32Array): { bytes: Uint8Array; offsets: Uint32Array };
  sessionsOf(entries: Uint32Array): Uint32Array;
  speakersOf(entries: Uint32Array): Uint32Array;
  /** The entries before and after each in its session, or {@link NONE}. */
  neighbours(entries: Uint32Array): { previous: Uint32Array; next: Uint32Array };
  sessionEntries(session: number): Uint32Array;
  /** Off the JavaScript thread; `cancel[0]` is set to give up (cancel.ts). */
  search(query: SearchQuery, cancel?: Int32Array): Promise<SearchResult>;
  /** The entries that match every signature; ties by newer entry. */
  searchAll(query: ConjunctiveQuery, cancel?: Int32Array): Promise<SearchResult>;
  stats(): BankStats;
}

/** `signatureBits`: a multiple of 64; `dimensions`: of the dense vectors, 0 for none. */
export type NativeBankClass = new (signatureBits: number, dimensions: number) => NativeBank;
