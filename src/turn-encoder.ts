import { availableParallelism } from "node:os";
import { Fifo } from "./internal/fifo.js";
import { LruMap } from "./internal/lru-map.js";
import { nextSlice, sliceIsOver } from "./internal/slices.js";
import { loadBinding } from "./native/binding.js";
import type {
  GivenWords,
  NativeTurnEncoder,
  NativeTurnList,
  TextsToEncode,
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
  readonly native: NativeTurnEncoder;

  /** REQUIRES: the tokenizer and the encoder's table have been loaded. */
  constructor({ encoder, encoderOptions }: EncoderChoice) {
    this.native = new (loadBinding().TurnEncoder)(...nativeArguments(encoder, encoderOptions));
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
    const { given, replaced } = wordsOf(texts);
    this.native.encode(list.native, texts, given);
    for (const count of replaced) list.replaced.push(count);
  }

  /** Whether these turns are worth no other thread. */
  areFew(turns: readonly CheckedTurn[]): boolean {
    if (turns.length > FEW_TURNS) return false;
    return turns.reduce((sum, { content }) => sum + content.length, 0) <= FEW_CHARACTERS;
  }

  /** As {@link encode}, on threads of the pool: others get their turn on the event loop meanwhile. */
  async encodeAll(
    list: TurnList,
    turns: readonly CheckedTurn[],
    cancel?: Int32Array,
  ): Promise<void> {
    const running = new Fifo<{ part: NativeTurnList; done: Promise<void> }>();
    const takeFirst = async () => {
      const { part, done } = running.shift()!;
      await done;
      list.native.take(part);
    };
    for (const slice of slicesOf(turns)) {
      if (sliceIsOver()) await nextSlice();
      if (running.length === MOST_RUNNING) await takeFirst();
      const texts = slice.map(({ content }) => content);
      const { given, replaced } = wordsOf(texts);
      const part = new (loadBinding().TurnList)();
      const done = this.native.encodeAsync(part, texts, given, cancel);
      done.catch(() => {}); // It is awaited, but for one after another that has failed.
      running.push({ part, done });
      for (const count of replaced) list.replaced.push(count);
    }
    while (running.length > 0) await takeFirst();
  }
}

/** What a thread is given at a time, in turns and in characters: a millisecond's work, or a turn. */
const SLICE_TURNS = 128;
const SLICE_CHARACTERS = 32 * 1024;
/** What is encoded sooner than a thread would begin with it. */
const FEW_TURNS = 16;
const FEW_CHARACTERS = 4096;
/** Slices under way. Of the pool's four threads one is left to recalls. */
const MOST_RUNNING = Math.min(availableParallelism(), 3);

function* slicesOf(turns: readonly CheckedTurn[]): Generator<CheckedTurn[]> {
  for (let from = 0; from < turns.length; ) {
    let to = from;
    let characters = 0;
    while (to < turns.length && to - from < SLICE_TURNS && characters < SLICE_CHARACTERS) {
      characters += turns[to++]!.content.length;
    }
    yield turns.slice(from, to);
    from = to;
  }
}

interface TextsWithWords extends TextsToEncode {
  /** Of each text, how many lone surrogates it has. */
  readonly replaced: readonly number[];
}

/** The words of those texts that are not plain. */
export function wordsOf(texts: readonly (string | undefined)[]): TextsWithWords {
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
  return { texts, given, replaced };
}

/** Each takes 9 MB, and 9 more for each of two threads that have helped it. */
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
