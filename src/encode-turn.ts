import type { SignatureEncoder } from "./signatures/encoder.js";
import { type Tokenizer, tokensAt, wellFormed } from "./text/tokenizer.js";
import { words } from "./text/words.js";
import type { CheckedTurn } from "./turn.js";
import type { JsonObject } from "./types.js";

/** A turn as the bank takes it, but for what depends on the entries before it. */
export interface EncodedTurn {
  readonly turn: CheckedTurn;
  /** Fields of an imported turn that this version knows nothing of. */
  readonly unknown?: JsonObject | undefined;
  readonly replacedCharacters: number;
  readonly tokens: Uint32Array;
  /** Row-major, a row a code: the content's words, without the stop words. */
  readonly signatures: BigUint64Array;
  readonly stems: BigUint64Array;
  /** What each code's vector is made of: see EncodedText. */
  readonly pieces: Uint32Array;
  readonly pieceCounts: Uint32Array;
  /** The token that each code's word starts in, ascending. */
  readonly codeTokens: Uint32Array;
}

/**
 * Makes a turn into tokens and signatures. Nothing is stored yet, and nothing here can fail for a
 * turn that was checked.
 *
 * The speaker's name has no codes: the bank knows each entry's speaker and the words of its name, and
 * a name that half of all entries hold would cost a search more than it tells.
 */
export function encodeTurn(
  turn: CheckedTurn,
  tokenizer: Tokenizer,
  encoder: SignatureEncoder,
): EncodedTurn {
  const { text, replaced } = wellFormed(turn.content);
  const { tokens, ends } = tokenizer.encodeWithOffsets(text);
  const found = words(text);
  const { signatures, stems, pieces, pieceCounts, wordOf } = encoder.encode(found);
  const starts = wordOf.map((word) => found[word]!.start);
  return {
    turn,
    replacedCharacters: replaced,
    tokens,
    signatures,
    stems,
    pieces,
    pieceCounts,
    codeTokens: tokensAt(ends, starts),
  };
}
