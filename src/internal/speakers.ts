import type { EncodedText } from "../signatures/encoder.js";
import { type Word, words } from "../text/words.js";

/** A word in more names than this, such as "user" in "user 7", names nobody. */
const MOST_NAMESAKES = 16;

/** Which speakers a question names: those with a word of their name among its words. */
export class SpeakerWords {
  readonly #speakersOf = new Map<string, string[]>();
  #size = 0;

  /** Names that were added. */
  get size(): number {
    return this.#size;
  }

  /** Adds a name that is not there yet. */
  add(name: string): void {
    this.#size++;
    for (const { stem, stop } of words(name)) {
      if (stop) continue;
      const speakers = this.#speakersOf.get(stem);
      if (speakers === undefined) this.#speakersOf.set(stem, [name]);
      else if (speakers.length <= MOST_NAMESAKES && !speakers.includes(name)) speakers.push(name);
    }
  }

  /** Pairs of a speaker and the query's code that names it. */
  namedBy(question: readonly Word[], query: EncodedText): NamedSpeakers {
    const speakers: string[] = [];
    const codes: number[] = [];
    for (const [code, word] of query.wordOf.entries()) {
      const named = this.#speakersOf.get(question[word]!.stem);
      if (named === undefined || named.length > MOST_NAMESAKES) continue;
      for (const speaker of named) {
        speakers.push(speaker);
        codes.push(code);
      }
    }
    return { speakers, speakerCodes: Uint32Array.from(codes) };
  }
}

export interface NamedSpeakers {
  readonly speakers: readonly string[];
  readonly speakerCodes: Uint32Array;
}
