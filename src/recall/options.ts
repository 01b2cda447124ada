import { RETRIEVAL_RULES, type RetrievalRule } from "../atoms/retrieval.js";
import { checkFilter, type Filter, type FilterNode } from "../filter.js";
import {
  checkEach,
  expected,
  expectInteger,
  expectOneOf,
  expectOptions,
  outOfRange,
} from "../internal/check.js";
import { parseMoment } from "../internal/moment.js";
import { checkFlag } from "../memory-options.js";
import { checkSignal } from "../options.js";
import { PACKERS, type PackerName } from "../pack/packers.js";
import { STRATEGIES, type StrategyName } from "./strategies.js";

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
  /**
   * Put the text between two lines, `<recalled>` and `</recalled>`, so that it can be told from the rest
   * of a transcript: `stripRecalled`. They are some eight tokens of the budget.
   */
  readonly marked?: boolean | undefined;
  /** Words to search for in place of the question's, or what finds them, for example a model. */
  readonly keywords?:
    | readonly string[]
    | ((question: string) => readonly string[] | Promise<readonly string[]>)
    | undefined;
  /** Counts a text's tokens in place of the store's tokenizer: what the budget is then measured in. */
  readonly countTokens?: ((text: string) => number) | undefined;
  /** Gives the recall up: it then rejects with `DENTATE_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
  /** Recall as of this moment: entries dated later (event time) are left out. */
  readonly at?: Date | string | number | undefined;
  /**
   * Recall the state that the memory was in at this moment (ingest time): without what came in
   * later, and with the versions that were the newest then. What was deleted since stays gone.
   */
  readonly asOf?: Date | string | number | undefined;
  /** Only entries that it selects. Applied before ranking. */
  readonly filter?: Filter | undefined;
  /** Let what was long not recalled fade; off unless given. */
  readonly forgetting?: Forgetting | undefined;
  /**
   * Of `rsm` and its like: what of an atom the question is compared with, one of the four rules of the
   * paper as we read them; `first-singular-vector` unless given.
   */
  readonly retrieveBy?: RetrievalRule | undefined;
  /** The same: how many atoms are taken, 1 to 10,000; 6 unless given. */
  readonly retrieveK?: number | undefined;
}

/**
 * The forgetting curve of MemoryBank, after Ebbinghaus: an entry's retention is 2^(-t / (h (1 + n))),
 * where t is the time since it was last recalled (or else since it was said), n how often it was
 * recalled, and h the half-life. Its score is multiplied by 1 - weight + weight · retention, and the
 * entries that end up in the text count as recalled. A new version, by an update, begins with none.
 *
 * Strategies `hybrid` and `hippocampus` have it. Only recalls with this option look at the curve or
 * count; a reader's do not count.
 */
export interface Forgetting {
  /** Milliseconds after which half of what was never recalled is retained; 30 days unless given. */
  readonly halfLife?: number | undefined;
  /** From 0, which changes nothing, to 1: what is forgotten scores 0. 0.5 unless given. */
  readonly weight?: number | undefined;
}

export interface ResolvedRecallOptions {
  readonly budget: number;
  readonly strategy: StrategyName;
  readonly radius: number | undefined;
  readonly packer: PackerName;
  readonly marked: boolean;
  readonly keywords: RecallOptions["keywords"];
  readonly countTokens: ((text: string) => number) | undefined;
  readonly signal: AbortSignal | undefined;
  /** Unix milliseconds. */
  readonly at: number | undefined;
  readonly asOf: number | undefined;
  /** `filter` and `at` in one. */
  readonly filter: FilterNode | undefined;
  readonly forgetting: ResolvedForgetting | undefined;
  readonly retrieveBy: RetrievalRule;
  readonly retrieveK: number;
}

export interface ResolvedForgetting {
  readonly halfLife: number;
  readonly weight: number;
}

export const DEFAULT_BUDGET = 2000;
const MOST_KEYWORDS = 1000;
/** Atoms: what did best for the authors of the paper. */
const DEFAULT_RETRIEVE_K = 6;
const MOST_ATOMS = 10_000;

const DAY_MS = 86_400_000;
export const DEFAULT_FORGETTING = { halfLife: 30 * DAY_MS, weight: 0.5 } as const;

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
    "marked",
    "keywords",
    "countTokens",
    "signal",
    "at",
    "asOf",
    "filter",
    "forgetting",
    "retrieveBy",
    "retrieveK",
  ]) as { [key in keyof RecallOptions]: unknown };
  const { radius, keywords, countTokens, at, asOf, filter, forgetting } = options;
  const moment = at === undefined ? undefined : parseMoment("options.at", at);
  const upTo: FilterNode | undefined =
    moment === undefined
      ? undefined
      : { kind: "columns", columns: { at: [Number.NEGATIVE_INFINITY, moment + 1] } };
  const selected = filter === undefined ? undefined : checkFilter("options.filter", filter);
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
    marked: checkFlag("options.marked", options.marked),
    keywords:
      keywords === undefined || typeof keywords === "function"
        ? (keywords as RecallOptions["keywords"])
        : checkKeywords("options.keywords", keywords),
    countTokens: countTokens as ((text: string) => number) | undefined,
    signal: checkSignal(options.signal),
    at: moment,
    asOf: asOf === undefined ? undefined : parseMoment("options.asOf", asOf),
    filter: narrow(upTo, selected),
    forgetting: forgetting === undefined ? undefined : checkForgetting(forgetting),
    retrieveBy: expectOneOf(
      "options.retrieveBy",
      options.retrieveBy ?? "first-singular-vector",
      RETRIEVAL_RULES,
    ),
    retrieveK: expectInteger(
      "options.retrieveK",
      options.retrieveK ?? DEFAULT_RETRIEVE_K,
      1,
      MOST_ATOMS,
    ),
  });
}

/** What both filters select. */
function narrow(a: FilterNode | undefined, b: FilterNode | undefined): FilterNode | undefined {
  return a === undefined || b === undefined ? (a ?? b) : { kind: "and", nodes: [a, b] };
}

function checkForgetting(value: unknown): ResolvedForgetting {
  const { halfLife = DEFAULT_FORGETTING.halfLife, weight = DEFAULT_FORGETTING.weight } =
    expectOptions("options.forgetting", value, ["halfLife", "weight"]);
  return Object.freeze({
    halfLife: checkNumber("options.forgetting.halfLife", halfLife, 1, Number.MAX_SAFE_INTEGER),
    weight: checkNumber("options.forgetting.weight", weight, 0, 1),
  });
}

function checkNumber(argument: string, value: unknown, least: number, most: number): number {
  if (typeof value !== "number") throw expected(argument, "a number", value);
  if (!(value >= least && value <= most)) {
    throw outOfRange(argument, `a number from ${least} to ${most}`, value);
  }
  return value;
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
