import { createRequire } from "node:module";

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

interface GptTokenizer {
  encode(text: string, options: { disallowedSpecial: Set<string> }): number[];
}
type Ranks = readonly (string | readonly number[])[];

/** The longest run without a break that is encoded in one piece; its merge is quadratic. */
const LONGEST_RUN = 1000;
const LONG_RUN = new RegExp(String.raw`\S{${LONGEST_RUN}}(?=\S)|\s{${LONGEST_RUN}}(?=\s)`, "gu");
const NO_SPECIAL = { disallowedSpecial: new Set<string>() };

class GptTokenizerAdapter implements Tokenizer {
  readonly name = "o200k_base";
  readonly vocabularySize: number;
  readonly #encoder: GptTokenizer;
  readonly #bytes: readonly Uint8Array[];
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  constructor(encoder: GptTokenizer, ranks: Ranks) {
    const utf8 = new TextEncoder();
    this.#encoder = encoder;
    this.#bytes = ranks.map((token) =>
      typeof token === "string" ? utf8.encode(token) : Uint8Array.from(token),
    );
    this.vocabularySize = ranks.length;
  }

  encode(text: string): Uint32Array {
    const cuts: number[] = [];
    if (text.length > LONGEST_RUN) {
      for (const match of text.matchAll(LONG_RUN)) cuts.push(match.index + match[0].length);
    }
    if (cuts.length === 0) return Uint32Array.from(this.#encoder.encode(text, NO_SPECIAL));
    const parts = [...cuts, text.length].map((end, i) =>
      this.#encoder.encode(text.slice(i === 0 ? 0 : cuts[i - 1], end), NO_SPECIAL),
    );
    return Uint32Array.from(parts.flat());
  }

  encodeWithOffsets(text: string): EncodedWithOffsets {
    const tokens = this.encode(text);
    let units = 0;
    const ends = tokens.map((token) => {
      for (const byte of this.#bytes[token]!) {
        if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
      }
      return units;
    });
    return { tokens, ends };
  }

  encodeMany(texts: readonly string[]): TokenLists {
    const lists = texts.map((text) => this.encode(text));
    const offsets = new Uint32Array(texts.length + 1);
    for (let i = 0; i < lists.length; i++) offsets[i + 1] = offsets[i]! + lists[i]!.length;
    const tokens = new Uint32Array(offsets[texts.length]!);
    for (let i = 0; i < lists.length; i++) tokens.set(lists[i]!, offsets[i]!);
    return { tokens, offsets };
  }

  count(text: string): number {
    return this.encode(text).length;
  }

  decode(tokens: Uint32Array): string {
    let length = 0;
    for (const token of tokens) length += this.#bytesOf(token).length;
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const token of tokens) {
      bytes.set(this.#bytesOf(token), at);
      at += this.#bytesOf(token).length;
    }
    return this.#decoder.decode(bytes);
  }

  decodeMany(tokens: Uint32Array, offsets: Uint32Array): string[] {
    return Array.from({ length: Math.max(0, offsets.length - 1) }, (_, i) =>
      this.decode(tokens.subarray(offsets[i], offsets[i + 1])),
    );
  }

  #bytesOf(token: number): Uint8Array {
    const bytes = this.#bytes[token];
    if (bytes === undefined) throw new RangeError(`token ${token} is not in the vocabulary`);
    return bytes;
  }
}

let tokenizer: Tokenizer | undefined;

/** The process-wide tokenizer, loaded on first use. */
export function loadTokenizer(): Tokenizer {
  if (tokenizer === undefined) {
    const require = createRequire(import.meta.url);
    const encoder = require("gpt-tokenizer/cjs/encoding/o200k_base") as GptTokenizer;
    const ranks = require("gpt-tokenizer/cjs/bpeRanks/o200k_base") as { default: Ranks };
    tokenizer = new GptTokenizerAdapter(encoder, ranks.default);
  }
  return tokenizer;
}
