/** What a native search is given, and what it gives back (native/bank/query.h). */

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
  /** The best so many entries are given a cosine. */
  readonly candidates: number;
  /** Tokens of a piece; 0: no entry is cut. */
  readonly piece: number;
  /** Entries of at most so many tokens stay whole. */
  readonly whole: number;
  /** Of the best so many entries the long ones are cut. */
  readonly cut: number;
  /** Bit i: what role i says comes in bulk: the price of its length, and how pieces of one entry give
   * way to each other, are in native/bank/piece_search.h. */
  readonly bulky: number;
  /** Bit i: and so does what role i says to bring that about. */
  readonly acting: number;
  readonly bulkPrice: number;
  readonly bulkFree: number;
  readonly actionFree: number;
  readonly giveWay: number;
  /** How far it counts less for words that better ones hold: native/bank/repeats.h. */
  readonly repeat: number;
  /** Of a piece's words: how far its entry's count for its own. */
  readonly entryShare: number;
}

/**
 * What an accelerator has found of the balls of a query's signatures: of some parts, by their ids, the codes
 * below one. Signature j's in part i lie from `offsets[i * (signatures + 1) + j]` to the next.
 */
export interface KnownBalls {
  readonly parts: Float64Array;
  readonly below: Uint32Array;
  readonly offsets: Uint32Array;
  readonly codes: Uint32Array;
  readonly distances: Uint16Array;
}

/** Which entries a search may find: the view's current ones, or fewer. */
export interface SearchScope {
  /** Bits over entries, 32 to a number: only these, as {@link NativeView.select} gives them. */
  readonly mask?: Uint32Array | undefined;
}

/** The curve by which scores fade: see native/bank/query.h. */
export interface ForgettingCurve {
  readonly weight: number;
  readonly stabilityMs: number;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Entries that the question points at by their time or place. */
export interface Boosts {
  /** Two numbers a boost: the entries [from, to). */
  readonly ranges: Uint32Array;
  /** What each entry of it gets on top, in shares of the best score by words. */
  readonly weights: Float32Array;
}

/** How what was said lately counts more: see native/bank/query.h. */
export interface RecencyCurve {
  readonly weight: number;
  /** So many entries back there is half of it left. */
  readonly entries: number;
  /** Of the time since the latest. */
  readonly halfLifeMs: number;
  /** Unix milliseconds. */
  readonly now: number;
}

export interface SearchQuery extends SearchScope {
  /** What need not be looked for. */
  readonly known?: KnownBalls | undefined;
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
  readonly speakers?: readonly string[] | undefined;
  readonly speakerCodes?: Uint32Array | undefined;
  /** Three numbers a mark: the index of a signature, and the entries [from, to) that it matches
   * whatever they say: those of a date the question names, for example. */
  readonly marks?: Uint32Array | undefined;
  readonly boosts?: Boosts | undefined;
  readonly recency?: RecencyCurve | undefined;
  readonly forgetting?: ForgettingCurve | undefined;
}

export interface ConjunctiveQuery extends SearchScope {
  /** What need not be looked for. */
  readonly known?: KnownBalls | undefined;
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
  /** What the boosts gave; empty without any. */
  readonly placeScores: Float32Array;
  /** Two numbers an item: the piece [from, to) of the entry that the item is, in tokens from the
   * entry's start. Empty where no entry was cut. */
  readonly pieces: Uint32Array;
  /** Of the query's signatures: how much a full match of each is of a signature score. Their sum is
   * 1; those left out have 0. Empty for `searchAll`. */
  readonly shares: Float32Array;
  /** Codes of an entry, on average; 0 for `searchAll`. */
  readonly meanCodes: number;
}
