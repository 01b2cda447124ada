import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { DentateError } from "../errors.js";
import { loadBinding } from "../native/binding.js";
import type { NativeTokenizer } from "../native/tokenizer-binding.js";

/** Of the vocabulary, which is checked against it when it is loaded (native/text/o200k_base.h). */
export const O200K_BASE_FINGERPRINT = "394980a4cf357619";

/**
 * o200k_base: text to token ids and back, byte for byte.
 *
 * Every string has one encoding and comes back from it unchanged, except that lone surrogates,
 * which UTF-8 cannot hold, become U+FFFD ({@link wellFormed} says how many). Text that spells a
 * special token, such as `<|endoftext|>`, is plain text.
 */
export interface Tokenizer {
  readonly name: "o200k_base";
  /** Token ids are below this number. */
  readonly vocabularySize: number;
  encode(text: string): Uint32Array;
  /** As {@link encode}, with where each token ends in the text. */
  encodeWithOffsets(text: string): EncodedWithOffsets;
  /** All texts in one call: the tokens of text `i` are `tokens[offsets[i] .. offsets[i + 1])`. */
  encodeMany(texts: readonly string[]): TokenLists;
  /** How many tokens `encode` would return. */
  count(text: string): number;
  /** Exact on whole texts. A slice cut inside a character has U+FFFD there. */
  decode(tokens: Uint32Array): string;
  /** Text `i` is that of `tokens[offsets[i] .. offsets[i + 1])`; `offsets` has one more item. */
  decodeMany(tokens: Uint32Array, offsets: Uint32Array): string[];
}

export interface TokenLists {
  readonly tokens: Uint32Array;
  readonly offsets: Uint32Array;
}

export interface EncodedWithOffsets {
  readonly tokens: Uint32Array;
  /**
   * `ends[i]`: the UTF-16 units of all characters that begin in tokens 0 to i. So the character at
   * offset `o` begins in the first token with `ends[i] > o`; {@link tokensAt} finds many of them.
   */
  readonly ends: Uint32Array;
}

/** For each offset, ascending, the token its character begins in (`ends.length` past the end). */
export function tokensAt(ends: Uint32Array, offsets: Uint32Array): Uint32Array {
  const found = new Uint32Array(offsets.length);
  let token = 0;
  for (let i = 0; i < offsets.length; i++) {
    const offset = offsets[i]!;
    while (token < ends.length && ends[token]! <= offset) token++;
    found[i] = token;
  }
  return found;
}

/** The text with each lone surrogate replaced by U+FFFD, and how many there were. */
export function wellFormed(text: string): { text: string; replaced: number } {
  let replaced = 0;
  const fixed = text.replace(/\p{Surrogate}/gu, () => {
    replaced++;
    return "\ufffd";
  });
  return { text: fixed, replaced };
}

class O200kBase implements Tokenizer {
  readonly name = "o200k_base";
  readonly vocabularySize: number;
  readonly #native: NativeTokenizer;

  constructor(native: NativeTokenizer) {
    this.#native = native;
    this.vocabularySize = native.vocabularySize;
  }

  encode(text: string): Uint32Array {
    return this.#native.encode(text);
  }

  encodeWithOffsets(text: string): EncodedWithOffsets {
    return this.#native.encodeWithOffsets(text);
  }

  encodeMany(texts: readonly string[]): TokenLists {
    return this.#native.encodeMany(texts);
  }

  count(text: string): number {
    return this.#native.count(text);
  }

  decode(tokens: Uint32Array): string {
    return this.#native.decode(tokens);
  }

  decodeMany(tokens: Uint32Array, offsets: Uint32Array): string[] {
    return this.#native.decodeMany(tokens, offsets);
  }
}

let tokenizer: Tokenizer | undefined;

/**
 * The tokenizer, loaded on first use; its vocabulary is shared by all threads of the process.
 *
 * @throws {@link DentateError} `DENTATE_UNAVAILABLE` where the rank file of the gpt-tokenizer
 * package is missing, `DENTATE_CORRUPTION` where it is not that of o200k_base.
 */
export function loadTokenizer(): Tokenizer {
  if (tokenizer === undefined) {
    const { Tokenizer: Native } = loadBinding();
    tokenizer = new O200kBase(Native.isLoaded() ? new Native() : new Native(readRankFile()));
  }
  return tokenizer;
}

function readRankFile(): Uint8Array {
  try {
    const require = createRequire(import.meta.url);
    return readFileSync(require.resolve("gpt-tokenizer/data/o200k_base.tiktoken"));
  } catch (cause) {
    throw new DentateError(
      "DENTATE_UNAVAILABLE",
      "the rank file of the gpt-tokenizer package could not be read",
      { cause },
    );
  }
}
