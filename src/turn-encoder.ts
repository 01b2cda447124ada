import { LruMap } from "./internal/lru-map.js";
import { loadBinding } from "./native/binding.js";
import type {
  GivenWords,
  NativeTurnEncoder,
  NativeTurnList,
} from "./native/turn-encoder-binding.js";
import { type EncoderChoice, fingerprintOf } from "./settings.js";
import { joinWords, loadEncoder, nativeArguments } from "./signatures/encoder.js";
import { isPlain } from "./text/plain-text.js";
import { loadTokenizer, wellFormed } from "./text/tokenizer.js";
import { words } from "./text/words.js";
import type { CheckedTurn } from "./turn.js";

/** Turns as tokens and signatures, in native memory until a bank takes them from there. */
export class TurnList {
  readonly native: NativeTurnList = new (loadBinding().TurnList)();
  /** Of each turn, how many lone surrogates became U+FFFD. */
  readonly replaced: number[] = [];

  clear(): void {
    this.native.clear();
    this.replaced.length = 0;
  }
}

/**
 * Makes turns into tokens and signatures. Nothing here can fail for turns that were checked.
 *
 * The words of plain text are found in native code; those of other text, which needs Unicode's
 * tables, here.
 *
 * The speaker's name has no codes: the bank knows each entry's speaker and the words of its name, and
 * a name that half of all entries hold would cost a search more than it tells.
 */
export class TurnEncoder {
  /** For who encodes and appends without a wait between. */
  readonly scratch = new TurnList();
  readonly #native: NativeTurnEncoder;

  /** REQUIRES: the tokenizer and the encoder's table have been loaded. */
  constructor({ encoder, encoderOptions }: EncoderChoice) {
    this.#native = new (loadBinding().TurnEncoder)(...nativeArguments(encoder, encoderOptions));
  }

  /** Adds these turns to the list; undefined: one of which there is nothing. */
  encode(list: TurnList, turns: readonly (CheckedTurn | undefined)[]): void {
    this.encodeTexts(
      list,
      turns.map((turn) => turn?.content),
    );
  }

  /** The same, for turns of these texts. */
  encodeTexts(list: TurnList, texts: readonly (string | undefined)[]): void {
    const given: (GivenWords | undefined)[] = [];
    const replaced: number[] = [];
    for (const text of texts) {
      if (text === undefined || isPlain(text)) {
        given.push(undefined);
        replaced.push(0);
      } else {
        const fixed = wellFormed(text);
        const found = words(fixed.text);
        given.push({
          joined: joinWords(found),
          starts: Uint32Array.from(found, ({ start }) => start),
        });
        replaced.push(fixed.replaced);
      }
    }
    this.#native.encode(list.native, texts, given);
    list.replaced.push(...replaced);
  }
}

/** Each takes 3 MB. */
const MOST_KEPT = 4;
const kept = new LruMap<string, TurnEncoder>(MOST_KEPT);

/** The encoder of this choice: memories share it, and the words that it has met. */
export function turnEncoderOf(choice: EncoderChoice): TurnEncoder {
  return kept.getOr(fingerprintOf(choice), () => {
    loadTokenizer();
    loadEncoder(choice.encoder, choice.encoderOptions);
    return new TurnEncoder(choice);
  });
}
