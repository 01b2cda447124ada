import type { EncodedText } from "../signatures/encoder.js";
import { type Word, words } from "../text/words.js";

/** Which speakers a question names: those with a word of their name among its words. */
export class SpeakerWords {
  readonly #speakersOf = new Map<string, number[]>();

  add(name: string, speaker: number): void {
    for (const { stem, stop } of words(name)) {
      if (stop) continue;
      const speakers = this.#speakersOf.get(stem);
      if (speakers === undefined) this.#speakersOf.set(stem, [speaker]);
      else if (!speakers.includes(speaker)) speakers.push(speaker);
    }
  }

  /** Pairs of a speaker and the query's code that names it. */
  namedBy(question: readonly Word[], query: EncodedText): NamedSpeakers {
    const speakers: number[] = [];
    const codes: number[] = [];
    for (const [code, word] of query.wordOf.entries()) {
      for (const speaker of this.#speakersOf.get(question[word]!.stem) ?? []) {
        speakers.push(speaker);
        codes.push(code);
      }
    }
    return { speakers: Uint32Array.from(speakers), speakerCodes: Uint32Array.from(codes) };
  }
}

export interface NamedSpeakers {
  readonly speakers: Uint32Array;
  readonly speakerCodes: Uint32Array;
}
