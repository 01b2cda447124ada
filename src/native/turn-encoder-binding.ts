/** Encoded turns, in native memory. */
export interface NativeTurnList {
  readonly count: number;
  read(): EncodedColumns;
  /** Adds what the other list has, and clears that. */
  take(other: NativeTurnList): void;
  clear(): void;
}

/** What a list holds: of all turns, concatenated (native/bank/batch.h). */
export interface EncodedColumns {
  readonly tokens: Uint32Array;
  readonly tokenCounts: Uint32Array;
  readonly codeTokens: Uint32Array;
  readonly codeCounts: Uint32Array;
  readonly signatures: BigUint64Array;
  readonly stems: BigUint64Array;
  readonly pieces: Uint32Array;
  readonly pieceCounts: Uint32Array;
}

export interface NativeTurnListClass {
  /** Holds a copy of the columns, or nothing. What does not fit together is refused by a bank. */
  new (columns?: EncodedColumns): NativeTurnList;
}

/** What native code cannot find by itself: the words of a text that is not plain. */
export interface GivenWords {
  /** native/signatures/word_list.h has its grammar. */
  readonly joined: string;
  /** UTF-16 offsets, of stop words too. */
  readonly starts: Uint32Array;
}

/** An undefined text is a turn of which there is nothing; a text without given words is plain. */
export interface TextsToEncode {
  readonly texts: readonly (string | undefined)[];
  readonly given: readonly (GivenWords | undefined)[];
}

/** `TurnEncoder` of native/napi/turn_encoder_wrap.h. */
export interface NativeTurnEncoder {
  /**
   * Adds the turns of these texts to the list: tokens, and the signatures of their words, which are
   * `given[i]` where text i is not plain. An undefined text is a turn of which there is nothing.
   */
  encode(
    list: NativeTurnList,
    texts: readonly (string | undefined)[],
    given: readonly (GivenWords | undefined)[],
  ): void;
  /** The same on a thread of the pool; what the list had is replaced when the promise resolves. */
  encodeAsync(
    list: NativeTurnList,
    texts: readonly (string | undefined)[],
    given: readonly (GivenWords | undefined)[],
    cancel?: Int32Array,
  ): Promise<void>;
}

export interface NativeTurnEncoderClass {
  /** As for a signature encoder; the tokenizer and its table must have been loaded. */
  new (
    name: string,
    bits: number,
    indexDimensions: number,
    nonZeros: number,
    window: number,
  ): NativeTurnEncoder;
}
