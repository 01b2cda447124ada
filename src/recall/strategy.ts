import type { ChunkAccess } from "../atoms/chunk-access.js";
import type { RetrievalRule } from "../atoms/retrieval.js";
import type { Bits } from "../internal/bits.js";
import type { NamedSpeakers } from "../internal/speakers.js";
import type { ForgettingCurve, KnownBalls } from "../native/search-binding.js";
import type { NativeView } from "../native/store-binding.js";
import type { EncodedText } from "../signatures/encoder.js";
import type { Place } from "./places.js";

/** A named way to rank a bank's entries for a question. */
export interface Strategy {
  readonly name: string;
  rank(context: RankContext): Ranking | Promise<Ranking>;
}

/** What a strategy may look at. */
export interface RankContext {
  readonly question: string;
  /** The words to search for: the question's, or the caller's keywords. */
  readonly query: EncodedText;
  /** The bank. */
  readonly view: NativeView;
  /** The entries that may be ranked: the view's current ones if undefined. */
  readonly mask: Bits | undefined;
  /** The most entries that can be of use; a ranking may be shorter. */
  readonly limit: number;
  readonly signatureBits: number;
  /** The words on each side that are part of a stored word's signature; 0: it is the word's alone. */
  readonly window: number;
  /** The caller's radius, if it gave one. */
  readonly radius: number | undefined;
  /** The speakers whose name the words hold. */
  namedSpeakers(): NamedSpeakers;
  /** The entries of the dates that the words name: see SearchQuery.marks. */
  dateMarks(): Uint32Array;
  /** The places that the question names: by their time, or in the order of things. */
  places(): Promise<Place[]>;
  /** When the question is asked: Unix milliseconds. */
  readonly now: number;
  /** How what was not recalled for long fades; not at all if undefined. */
  readonly forgetting: ForgettingCurve | undefined;
  /** What an accelerator has found of the signatures' balls; undefined: native code finds them. */
  balls(signatures: BigUint64Array, radius: number): Promise<KnownBalls | undefined>;
  /** The bank's chunks and their atoms. */
  readonly chunks: ChunkAccess;
  /** What of an atom a question is compared with, and how many atoms are taken. */
  readonly retrieveBy: RetrievalRule;
  readonly retrieveK: number;
  /** Set to 1 when the caller gives up. */
  readonly cancel: Int32Array | undefined;
}

/** Numbers of entries, best first, with what each score is made of. */
export interface Ranking {
  readonly entries: Uint32Array;
  readonly scores: Float32Array;
  /** The parts of each score that the question's words and the vectors make; 0 where absent. */
  readonly signatureScores?: Float32Array;
  readonly denseScores?: Float32Array;
  readonly placeScores?: Float32Array;
  /** The places that these are of. */
  readonly places?: readonly Place[];
  /** The atom that each is in, or {@link NONE}: what packer `atoms` groups by. */
  readonly atoms?: Uint32Array;
  /** Of each of the query's codes, how much a full match is of a signature score. */
  readonly shares?: Float32Array;
  /** What the number of an entry's codes makes of its matches; without it, nothing. */
  readonly lengthFactor?: (codes: number) => number;
  /** By how many bits a word may differ from a question's and be shown as its match. */
  readonly radius?: number;
  /**
   * Two numbers a rank: the tokens [from, to) of the entry that stand there, from the entry's start. An
   * entry may stand at several ranks, with other tokens. Absent or empty: entries stand there whole.
   */
  readonly pieces?: Uint32Array;
  /** Whether the pack ends at the first entry that does not fit, so that it has no gaps. */
  readonly contiguous?: boolean;
}

/** The distance at which the cosine that it stands for is 0.5: a third of the bits. */
export function defaultRadius(signatureBits: number): number {
  return Math.floor(signatureBits / 3);
}
