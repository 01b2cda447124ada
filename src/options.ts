import {
  checkEach,
  expected,
  expectInteger,
  expectMultiple,
  expectName,
  expectOneOf,
  expectOptions,
  isPlainObject,
  outOfRange,
} from "./internal/check.js";
import { parseMoment } from "./internal/moment.js";
import { PACKERS, type PackerName } from "./pack/packers.js";
import { STRATEGIES, type StrategyName } from "./recall/strategies.js";
import { ENCODERS, type EncoderName, type EncoderOptions } from "./signatures/encoder.js";

/**
 * Every option, its default and its check: the only place for them, with turn.ts for what is added.
 * What comes out is complete, copied and frozen.
 */

/** How a memory is opened. */
export interface MemoryOptions {
  /** Keep everything in this process and nothing on disk. */
  readonly inMemory?: boolean | undefined;
  /** What makes words into signatures; `distilled` unless given. */
  readonly encoder?: EncoderName | undefined;
  /**
   * Bits in a signature: 128 unless given. `distilled` takes 64, 128, 192 or 256, the other encoders
   * multiples of 16 from 16 to 256.
   */
  readonly signatureBits?: number | undefined;
  /** Of the random-indexing encoders: dimensions of the index vectors (D of the paper); 1024. */
  readonly indexDimensions?: number | undefined;
  /** Of the random-indexing encoders: components of an index vector that are not 0; 10. */
  readonly nonZeros?: number | undefined;
  /**
   * Of the random-indexing encoders: words on each side that count for a word's signature; 1. Above
   * 0 nearly every occurrence of a word has a signature of its own, and a bank holds 4,194,304
   * different ones: then it is full, and adding rejects with `DENTATE_OUT_OF_MEMORY`.
   */
  readonly window?: number | undefined;
}

export interface ResolvedMemoryOptions {
  readonly directory: string | undefined;
  readonly encoder: EncoderName;
  readonly encoderOptions: EncoderOptions;
}

/** How a recall searches and packs. */
export interface RecallOptions {
  /** The most tokens that the text may have; 2000 unless given. */
  readonly budget?: number | undefined;
  /** How entries are ranked; `hybrid` unless given. */
  readonly strategy?: StrategyName | undefined;
  /**
   * How many bits a signature may differ from a question word's and still be counted as like it;
   * the strategy's own radius unless given.
   */
  readonly radius?: number | undefined;
  /** How the entries are laid out; `sessions` unless given. */
  readonly packer?: PackerName | undefined;
  /** Words to search for in place of the question's, or what finds them, for example a model. */
  readonly keywords?:
    | readonly string[]
    | ((question: string) => readonly string[] | Promise<readonly string[]>)
    | undefined;
  /** Counts a text's tokens in place of the store's tokenizer: what the budget is then measured in. */
  readonly countTokens?: ((text: string) => number) | undefined;
  /** Gives the recall up: it then rejects with `DENTATE_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
  /** Recall as of this moment: entries dated later are left out. */
  readonly at?: Date | string | number | undefined;
}

export interface ResolvedRecallOptions {
  readonly budget: number;
  readonly strategy: StrategyName;
  readonly radius: number | undefined;
  readonly packer: PackerName;
  readonly keywords: RecallOptions["keywords"];
  readonly countTokens: ((text: string) => number) | undefined;
  readonly signal: AbortSignal | undefined;
  /** Unix milliseconds. */
  readonly at: number | undefined;
}

/** How a batch of turns is added. */
export interface AddManyOptions {
  /** Gives the batch up before any of it is stored: it then rejects with `DENTATE_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** A page of entries, oldest first. */
export interface ListOptions {
  /** The id of the entry before the page: the last of the page before. */
  readonly after?: string | undefined;
  /** The most entries in the page; 100 unless given, 10,000 at most. */
  readonly limit?: number | undefined;
}

export const DEFAULT_BUDGET = 2000;
export const DEFAULT_PAGE = 100;
export const LARGEST_PAGE = 10_000;
export const DEFAULT_BANK = "default";
const LONGEST_BANK_NAME = 256;
const MOST_KEYWORDS = 1000;

export function checkMemoryOptions(target: unknown, rest: unknown): ResolvedMemoryOptions {
  let directory: string | undefined;
  let given: unknown = target;
  if (typeof target === "string") {
    directory = expectName("directory", target, 4096);
    given = rest ?? {};
  } else if (rest !== undefined) {
    throw expected("directory", "a string where options are a second argument", target);
  } else if (!isPlainObject(target)) {
    throw expected("Memory.open", "a directory or { inMemory: true }", target);
  }
  const options = expectOptions("options", given, [
    "inMemory",
    "encoder",
    "signatureBits",
    "indexDimensions",
    "nonZeros",
    "window",
  ]);
  const inMemory = options["inMemory"];
  if (inMemory !== undefined && typeof inMemory !== "boolean") {
    throw expected("options.inMemory", "a boolean", inMemory);
  }
  if ((inMemory === true) === (directory !== undefined)) {
    throw new TypeError(
      directory === undefined
        ? `options.inMemory: expected true where no directory is given, got ${String(inMemory)}`
        : "options.inMemory: expected false where a directory is given, got true",
    );
  }
  const encoder = expectOneOf("options.encoder", options["encoder"] ?? "distilled", ENCODERS);
  return Object.freeze({
    directory,
    encoder,
    encoderOptions: Object.freeze(checkEncoderOptions(encoder, options)),
  });
}

function checkEncoderOptions(encoder: EncoderName, given: Record<string, unknown>): EncoderOptions {
  const { signatureBits = 128, indexDimensions = 1024, nonZeros = 10, window = 1 } = given;
  const step = encoder === "distilled" ? 64 : 16;
  const bits = expectMultiple("options.signatureBits", signatureBits, step, 256);
  if (encoder === "distilled") {
    for (const name of ["indexDimensions", "nonZeros", "window"]) {
      if (given[name] === undefined) continue;
      throw new TypeError(`options.${name}: the encoder 'distilled' has none`);
    }
    return { bits };
  }
  const dimensions = expectInteger("options.indexDimensions", indexDimensions, bits, 4096);
  return {
    bits,
    indexDimensions: dimensions,
    nonZeros: expectMultiple("options.nonZeros", nonZeros, 2, Math.min(64, dimensions)),
    window: expectInteger("options.window", window, 0, 16),
  };
}

export function checkRecallOptions(
  question: unknown,
  given: unknown,
  signatureBits: number,
): ResolvedRecallOptions {
  if (typeof question !== "string") throw expected("question", "a string", question);
  const options = expectOptions("options", given ?? {}, [
    "budget",
    "strategy",
    "radius",
    "packer",
    "keywords",
    "countTokens",
    "signal",
    "at",
  ]) as { [key in keyof RecallOptions]: unknown };
  const { radius, keywords, countTokens, at } = options;
  if (countTokens !== undefined && typeof countTokens !== "function") {
    throw expected("options.countTokens", "a function", countTokens);
  }
  return Object.freeze({
    budget: expectInteger(
      "options.budget",
      options.budget ?? DEFAULT_BUDGET,
      0,
      Number.MAX_SAFE_INTEGER,
    ),
    strategy: expectOneOf("options.strategy", options.strategy ?? "hybrid", STRATEGIES),
    radius:
      radius === undefined ? undefined : expectInteger("options.radius", radius, 0, signatureBits),
    packer: expectOneOf("options.packer", options.packer ?? "sessions", PACKERS),
    keywords:
      keywords === undefined || typeof keywords === "function"
        ? (keywords as RecallOptions["keywords"])
        : checkKeywords("options.keywords", keywords),
    countTokens: countTokens as ((text: string) => number) | undefined,
    signal: checkSignal(options.signal),
    at: at === undefined ? undefined : parseMoment("options.at", at),
  });
}

/** The keywords themselves, whether the caller listed them or its function found them. */
export function checkKeywords(argument: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw expected(argument, "an array of strings", value);
  if (value.length > MOST_KEYWORDS) {
    throw outOfRange(`${argument}.length`, `at most ${MOST_KEYWORDS}`, value.length);
  }
  return checkEach(value, (word, i) => {
    if (typeof word !== "string") throw expected(`${argument}[${i}]`, "a string", word);
    return word;
  });
}

/** What the caller's counter returned. */
export function checkTokenCount(value: unknown): number {
  if (typeof value !== "number") throw expected("options.countTokens", "a number returned", value);
  if (!(value >= 0)) throw outOfRange("options.countTokens", "a count of at least 0", value);
  return value;
}

export function checkAddManyOptions(given: unknown): { readonly signal: AbortSignal | undefined } {
  return { signal: checkSignal(expectOptions("options", given ?? {}, ["signal"])["signal"]) };
}

export function checkListOptions(given: unknown): {
  readonly after: string | undefined;
  readonly limit: number;
} {
  const options = expectOptions("options", given ?? {}, ["after", "limit"]);
  const { after, limit = DEFAULT_PAGE } = options;
  return {
    after: after === undefined ? undefined : checkId("options.after", after),
    limit: expectInteger("options.limit", limit, 1, LARGEST_PAGE),
  };
}

export function checkId(argument: string, value: unknown): string {
  if (typeof value !== "string") throw expected(argument, "a string", value);
  return value;
}

export function checkBankName(argument: string, value: unknown): string {
  return expectName(argument, value, LONGEST_BANK_NAME);
}

export function checkSignal(value: unknown): AbortSignal | undefined {
  if (value === undefined) return undefined;
  // By shape, since a signal may come from another realm.
  const { aborted, addEventListener } = Object(value) as Partial<AbortSignal>;
  if (typeof aborted !== "boolean" || typeof addEventListener !== "function") {
    throw expected("options.signal", "an AbortSignal", value);
  }
  return value as AbortSignal;
}
