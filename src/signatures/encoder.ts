import { loadBinding } from "../native/binding.js";
import type { NativeSignatureEncoder } from "../native/signatures-binding.js";
import type { Word } from "../text/words.js";
import { DISTILLED_SHA256, readDistilledAsset } from "./distilled-asset.js";

/** Every encoder that a memory can be opened with. */
export const ENCODERS = ["distilled", "random-indexing", "random-indexing-literal"] as const;
/** One of {@link ENCODERS}. */
export type EncoderName = (typeof ENCODERS)[number];

export interface EncoderOptions {
  /** Bits of a signature: a multiple of 64, or of 16 for random indexing. Default 128. */
  readonly bits?: number;
  /** Random indexing: dimensions of the index vectors (the paper's D). Default 1024. */
  readonly indexDimensions?: number;
  /** Random indexing: components of an index vector that are not zero, even (t). Default 10. */
  readonly nonZeros?: number;
  /** Random indexing: words on each side that a word's vector takes in. Default 1. */
  readonly window?: number;
}

/** The signatures of a text. Row i of the arrays belongs together; a word may have several rows. */
export interface EncodedRows {
  /** count x ceil(bits / 64), row-major; the high bits of a row's last word may be unused, and 0. */
  readonly signatures: BigUint64Array;
  /** 64-bit hash of the stem of each row: equal ones match with similarity 1. */
  readonly stems: BigUint64Array;
  /** For each row, which of the words given it belongs to. */
  readonly wordOf: Uint32Array;
}

/** With what vectors are made of. */
export interface EncodedText extends EncodedRows {
  /** What the vectors of the rows are made of, one row's after another's; random indexing has none. */
  readonly pieces: Uint32Array;
  /** For each row, how many of the pieces are its; 0: its vector follows from its stem. */
  readonly pieceCounts: Uint32Array;
  /** Mean vector of the rows, of unit length (zeros for a text without content words). */
  readonly vector: Float32Array | undefined;
}

/** Turns words into signatures; stop words are left out. Deterministic on every machine. */
export interface SignatureEncoder {
  readonly name: EncoderName;
  readonly bits: number;
  /** Of the mean vector; 0 where the encoder has none. */
  readonly dimensions: number;
  /** Names everything signatures depend on: only equal ones may be compared. */
  readonly fingerprint: string;
  /** Whether the rows of a word are the same in all texts, as far as it is not written without spaces. */
  readonly isContextFree: boolean;
  /** A text to be stored. */
  encode(words: readonly Word[]): EncodedText;
  /** A question: each word by itself, and once. */
  encodeQuery(words: readonly Word[]): EncodedText;
  /** What {@link encode} gives, without the vector, which takes the longest. */
  encodeRows(words: readonly Word[]): EncodedRows;
}

const MAX_BITS = 4096;
const MAX_NON_ZEROS = 64;
const MAX_WINDOW = 16;

/**
 * Makes an encoder. The first `distilled` one of a process reads a 5 MB table.
 *
 * @throws {@link DentateError} `DENTATE_UNAVAILABLE` where the table or the addon is missing.
 */
export function loadEncoder(
  name: EncoderName = "distilled",
  options: EncoderOptions = {},
): SignatureEncoder {
  if (!ENCODERS.includes(name)) {
    throw new TypeError(`encoder must be one of ${ENCODERS.join(", ")}, got ${String(name)}`);
  }
  const given = nativeArguments(name, options);
  const [, bits, indexDimensions, nonZeros, window] = given;
  const step = name === "distilled" ? 64 : 16;
  checkRange("bits", bits, step, MAX_BITS, step);
  if (name === "distilled") return new NativeEncoder(...given);
  checkRange("indexDimensions", indexDimensions, bits, MAX_BITS, 1);
  checkRange("nonZeros", nonZeros, 2, Math.min(MAX_NON_ZEROS, indexDimensions), 2);
  checkRange("window", window, 0, MAX_WINDOW, 1);
  return new NativeEncoder(...given);
}

type NativeArguments = [
  name: EncoderName,
  bits: number,
  indexDimensions: number,
  nonZeros: number,
  window: number,
];

/** What the native encoder of this name is made with. */
export function nativeArguments(name: EncoderName, options: EncoderOptions): NativeArguments {
  const { bits = 128, indexDimensions = 1024, nonZeros = 10, window = 1 } = options;
  return name === "distilled"
    ? [name, bits, 0, 0, 0]
    : [name, bits, indexDimensions, nonZeros, window];
}

function checkRange(name: string, value: number, low: number, high: number, step: number): void {
  if (!Number.isInteger(value) || value < low || value > high || value % step !== 0) {
    const kind = step === 1 ? "a whole number" : `a multiple of ${step}`;
    throw new RangeError(`${name} must be ${kind} from ${low} to ${high}, got ${value}`);
  }
}

class NativeEncoder implements SignatureEncoder {
  readonly name: EncoderName;
  readonly bits: number;
  readonly dimensions: number;
  readonly fingerprint: string;
  readonly isContextFree: boolean;
  readonly #native: NativeSignatureEncoder;

  constructor(
    name: EncoderName,
    bits: number,
    indexDimensions: number,
    nonZeros: number,
    window: number,
  ) {
    const { SignatureEncoder } = loadBinding();
    if (name === "distilled" && !SignatureEncoder.hasTable()) {
      SignatureEncoder.setTable(readDistilledAsset());
    }
    this.#native = new SignatureEncoder(name, bits, indexDimensions, nonZeros, window);
    this.name = name;
    this.bits = bits;
    this.isContextFree = name === "distilled";
    this.dimensions = this.#native.dimensions;
    const parameters =
      name === "distilled" ? DISTILLED_SHA256 : `${indexDimensions}:${nonZeros}:${window}`;
    this.fingerprint = `${name}:${bits}:${parameters}`;
  }

  encode(words: readonly Word[]): EncodedText {
    return this.#split(this.#native.encode(joinWords(words), false));
  }

  encodeQuery(words: readonly Word[]): EncodedText {
    return this.#split(this.#native.encode(joinWords(words), true));
  }

  encodeRows(words: readonly Word[]): EncodedRows {
    const buffer = this.#native.encodeRows(joinWords(words));
    const rowWords = Math.ceil(this.bits / 64);
    const rows = new Uint32Array(buffer, 0, 1)[0]!;
    const stems = 8 + rows * rowWords * 8;
    return {
      signatures: new BigUint64Array(buffer, 8, rows * rowWords),
      stems: new BigUint64Array(buffer, stems, rows),
      wordOf: new Uint32Array(buffer, stems + rows * 8, rows),
    };
  }

  #split(buffer: ArrayBuffer): EncodedText {
    const rowWords = Math.ceil(this.bits / 64);
    const counts = new Uint32Array(buffer, 0, 2);
    const rows = counts[0]!;
    const stems = 8 + rows * rowWords * 8;
    const vector = stems + rows * 8;
    const wordOf = vector + this.dimensions * 4;
    return {
      signatures: new BigUint64Array(buffer, 8, rows * rowWords),
      stems: new BigUint64Array(buffer, stems, rows),
      vector: this.dimensions === 0 ? undefined : new Float32Array(buffer, vector, this.dimensions),
      wordOf: new Uint32Array(buffer, wordOf, rows),
      pieceCounts: new Uint32Array(buffer, wordOf + rows * 4, rows),
      pieces: new Uint32Array(buffer, wordOf + rows * 8, counts[1]!),
    };
  }
}

/** One string for all words: see native/signatures/word_list.h. */
export function joinWords(words: readonly Word[]): string {
  let joined = "";
  let end = -1;
  for (const word of words) {
    if (word.stop) joined += "\n\n";
    else joined += `${word.text}${word.start === end ? "\t" : "\n"}${word.stem}\n`;
    end = word.end;
  }
  return joined;
}
