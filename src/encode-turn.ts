import type { SignatureEncoder } from "./signatures/encoder.js";
import { type Tokenizer, tokensAt, wellFormed } from "./text/tokenizer.js";
import { words } from "./text/words.js";
import type { CheckedTurn } from "./turn.js";

/** A turn as the bank takes it, but for what depends on the entries before it. */
export interface EncodedTurn {
  readonly turn: CheckedTurn;
  readonly replacedCharacters: number;
  readonly tokens: Uint32Array;
  /** Row-major, a row a code: the content's words, without the stop words. */
  readonly signatures: BigUint64Array;
  readonly stems: BigUint64Array;
  /** The token that each code's word starts in, ascending. */
  readonly codeTokens: Uint32Array;
  readonly vector: Float32Array | undefined;
}

/**
 * Makes a turn into tokens and signatures. Nothing is stored yet, and nothing here can fail for a
 * turn that was checked.
 *
 * The speaker's name counts for the vector, but has no codes: the bank knows each entry's speaker,
 * and a name that half of all entries hold would cost a search more than it tells.
 */
export function encodeTurn(
  turn: CheckedTurn,
  tokenizer: Tokenizer,
  encoder: SignatureEncoder,
): EncodedTurn {
  const { text, replaced } = wellFormed(turn.content);
  const { tokens, ends } = tokenizer.encodeWithOffsets(text);
  const name = turn.speaker === undefined ? "" : `${turn.speaker}: `;
  const found = words(name + text);
  const { signatures, stems, wordOf, vector } = encoder.encode(found);
  let ofName = 0;
  while (ofName < wordOf.length && found[wordOf[ofName]!]!.start < name.length) ofName++;
  const width = stems.length === 0 ? 0 : signatures.length / stems.length;
  const starts = wordOf.subarray(ofName).map((word) => found[word]!.start - name.length);
  return {
    turn,
    replacedCharacters: replaced,
    tokens,
    signatures: signatures.subarray(ofName * width),
    stems: stems.subarray(ofName),
    codeTokens: tokensAt(ends, starts),
    vector,
  };
}
