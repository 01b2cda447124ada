import { checkTokenCount } from "../options.js";
import type { Tokenizer } from "../text/tokenizer.js";

/**
 * Keeps a pack within its budget. Pieces are counted one by one while it fills up, each with its line
 * feed; the text is counted once more as a whole, since no tokenizer owes anybody that the parts of a
 * text have as many tokens as the text. (With o200k_base they nearly always do: it never joins a line
 * feed and the letter or bracket after it.)
 *
 * With the caller's `countTokens`, every count is the caller's; the empty text has 0 tokens, whatever
 * the caller's counter says of it.
 */
export class Accountant {
  readonly budget: number;
  readonly #tokenizer: Tokenizer;
  readonly #countTokens: ((text: string) => number) | undefined;
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

  /** Whether the counts that the bank stores are in the budget's own unit. */
  get countsAsStored(): boolean {
    return this.#countTokens === undefined;
  }

  get left(): number {
    return this.budget - this.#spent;
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

  countEach(texts: readonly string[]): number[] {
    if (this.#countTokens !== undefined) return texts.map((text) => this.count(text));
    const { offsets } = this.#tokenizer.encodeMany(texts);
    return texts.map((_, i) => offsets[i + 1]! - offsets[i]!);
  }
}
