import { checkTokenCount } from "../recall/options.js";
import type { Tokenizer } from "../text/tokenizer.js";

/**
 * Keeps a pack within its budget: prices lines while it fills up, and counts the whole text once in
 * the end, since no tokenizer owes anybody that a text has as many tokens as its parts.
 *
 * With the store's tokenizer a line's price comes from counts that are there already: its prefix's,
 * its content's as stored, and one for each seam that does not close. The seams of o200k_base: a
 * space joins the ASCII letter after it, and a line feed joins the punctuation before it, but no
 * letter or bracket after it. With the caller's `countTokens`, the caller counts each line.
 *
 * The empty text has 0 tokens, whatever the caller's counter says of it.
 */
export class Accountant {
  readonly budget: number;
  readonly #tokenizer: Tokenizer;
  readonly #countTokens: ((text: string) => number) | undefined;
  /** Prefixes and headers come again and again. */
  readonly #counted = new Map<string, number>();
  readonly #prefixes = new Map<string, number>();
  #spent = 0;

  constructor(
    budget: number,
    tokenizer: Tokenizer,
    countTokens: ((text: string) => number) | undefined,
  ) {
    this.budget = budget;
    this.#tokenizer = tokenizer;
    this.#countTokens = countTokens;
  }

  get left(): number {
    return this.budget - this.#spent;
  }

  /** Whether a content that has this many stored tokens cannot fit, whatever it is. */
  isTooLarge(stored: number): boolean {
    return this.#countTokens === undefined && stored > this.left;
  }

  /** Tokens of an entry's lines: `prefix`, the content (escaped, if `text` differs) and a line feed. */
  price(prefix: string, content: string, text: string, stored: number): number {
    if (this.#countTokens !== undefined || text !== content) {
      return this.count(`${prefix}${text}\n`);
    }
    const atStart = ASCII_LETTER.test(content) ? 0 : 1;
    const atEnd = PUNCTUATION_AT_END.test(content) ? 0 : 1;
    return this.#priceOfPrefix(prefix) + atStart + stored + atEnd;
  }

  /**
   * Tokens of a piece of an entry: with its line, or, without a prefix, in a line that is there. A mark
   * where something is left out is a token, as the line feed is after one.
   */
  priceOfPiece(prefix: string | undefined, piece: PricedPiece): number {
    const { content, text, stored, before, after } = piece;
    const marks = (before ? 1 : 0) + (after ? 1 : 0);
    if (this.#countTokens !== undefined || text !== content) {
      const end = prefix === undefined ? "" : "\n";
      return this.count(`${prefix ?? ""}${before ? "… " : ""}${text}${after ? " …" : ""}${end}`);
    }
    if (prefix === undefined) return stored + marks;
    const atStart = before || ASCII_LETTER.test(content) ? 0 : 1;
    return this.#priceOfPrefix(prefix) + atStart + stored + marks + 1;
  }

  /** Tokens of a short text that comes again. */
  priceOf(text: string): number {
    let tokens = this.#counted.get(text);
    if (tokens === undefined) {
      tokens = this.count(text);
      this.#counted.set(text, tokens);
    }
    return tokens;
  }

  /** Without its space, which is the content's. */
  #priceOfPrefix(prefix: string): number {
    let tokens = this.#prefixes.get(prefix);
    if (tokens === undefined) {
      tokens = this.count(prefix.trimEnd());
      this.#prefixes.set(prefix, tokens);
    }
    return tokens;
  }

  /** Books `tokens`, if they fit. */
  take(tokens: number): boolean {
    if (tokens > this.left) return false;
    this.#spent += tokens;
    return true;
  }

  count(text: string): number {
    if (text === "") return 0;
    if (this.#countTokens === undefined) return this.#tokenizer.count(text);
    return checkTokenCount(this.#countTokens(text));
  }
}

interface PricedPiece {
  readonly content: string;
  /** The content, escaped. */
  readonly text: string;
  readonly stored: number;
  /** Whether something is left out before it, and after it. */
  readonly before: boolean;
  readonly after: boolean;
}

const ASCII_LETTER = /^[A-Za-z]/;
const PUNCTUATION_AT_END = /[.!?,:;)"'\]}]$/;
