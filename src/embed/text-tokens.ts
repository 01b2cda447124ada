import { DentateError } from "../errors.js";
import { wellFormed } from "../text/tokenizer.js";
import { importPeer } from "./import-peer.js";
import type { TokenizerFiles } from "./model-folder.js";

/** What is used of the package: its own types can't be compiled as the modules of Node are. */
interface TokenizerPackage {
  readonly Tokenizer: new (tokenizer: object, config: object) => Tokenizer;
}
interface Tokenizer {
  encode(text: string): { readonly ids: number[] };
}

/** Characters that a token may be of, on average, before the rest of a text is not looked at. */
const MOST_CHARACTERS_A_TOKEN = 100;

/**
 * Text to the token ids of a model, with the tokens that the model wants around them. What is longer
 * than the model takes loses its end, but not the closing token: `[CLS] w w w w [SEP]` → `[CLS] w w [SEP]`.
 */
export class TextTokens {
  readonly #tokenizer: Tokenizer;
  readonly #maxTokens: number;
  /** How many of the model's own tokens close a text. */
  readonly #closing: number;

  private constructor(tokenizer: Tokenizer, maxTokens: number) {
    this.#tokenizer = tokenizer;
    this.#maxTokens = maxTokens;
    // What an empty text has is around every other: up to where they differ, it opens.
    const around = tokenizer.encode("").ids;
    const some = tokenizer.encode("a").ids;
    let opening = 0;
    while (opening < around.length && around[opening] === some[opening]) opening++;
    this.#closing = around.length - opening;
  }

  /** @throws {@link DentateError} `DENTATE_UNAVAILABLE`: no package that reads it, or none that can. */
  static async load(files: TokenizerFiles, maxTokens: number): Promise<TextTokens> {
    const { Tokenizer } = await importPeer<TokenizerPackage>("@huggingface/tokenizers");
    try {
      return new TextTokens(new Tokenizer(files.tokenizer, files.config), maxTokens);
    } catch (cause) {
      throw new DentateError("DENTATE_UNAVAILABLE", "the model's tokenizer.json cannot be used", {
        cause,
      });
    }
  }

  encode(text: string): number[] {
    const most = this.#maxTokens * MOST_CHARACTERS_A_TOKEN;
    const cut = text.length > most ? text.slice(0, most) : text;
    // Half of a pair of surrogates is no character, be it given so or cut.
    const { ids } = this.#tokenizer.encode(wellFormed(cut).text);
    if (ids.length <= this.#maxTokens) return ids;
    const kept = this.#maxTokens - this.#closing;
    return ids.slice(0, kept).concat(ids.slice(ids.length - this.#closing));
  }
}
