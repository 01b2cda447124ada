import {
  expected,
  expectInteger,
  expectName,
  expectOneOf,
  expectOptions,
} from "../internal/check.js";
import { checkThreshold } from "./embedder.js";
import { POOLINGS, type Pooling } from "./pooling.js";

/** How a model in a folder is run, whatever runs it. Unless given, the folder says it. */
export interface ModelOptions {
  /** What stores call the model: the folder's name unless given. */
  readonly name?: string | undefined;
  /** How tokens' vectors become one: the model's own way, as far as its folder or its name tells. */
  readonly pooling?: Pooling | undefined;
  /** Whether vectors are brought to unit length: true unless given. */
  readonly normalize?: boolean | undefined;
  /** What is longer loses its end: as many as the model takes, or was made for. */
  readonly maxTokens?: number | undefined;
  /** Put before what is asked: BGE, e5 and others want it. */
  readonly queryPrefix?: string | undefined;
  /** Put before what a memory holds. */
  readonly documentPrefix?: string | undefined;
  /** Threads that run the model, each with its own copy: 1 to 64, 1 unless given. */
  readonly threads?: number | undefined;
  /**
   * Tokens that are run at once, padding counted: 1 to 1,048,576. Unless given, what a processor does best
   * with, 128 in ONNX and 512 in TensorFlow.js, so that a question waits for no long run either. A GPU is
   * better used with more.
   */
  readonly batchTokens?: number | undefined;
  /** See {@link Embedder.threshold}. */
  readonly threshold?: number | undefined;
}

const KEYS = [
  "name",
  "pooling",
  "normalize",
  "maxTokens",
  "queryPrefix",
  "documentPrefix",
  "threads",
  "batchTokens",
  "threshold",
] as const satisfies (keyof ModelOptions)[];

const MOST_BATCH_TOKENS = 1 << 20;
const MOST_THREADS = 64;
const LONGEST_PREFIX = 4096;
const LONGEST_PATH = 4096;

/** With what was not given. */
export type CheckedModelOptions = ReturnType<typeof checkModelOptions>;

/**
 * `own`: the keys that only one kind of embedder has; it checks them itself. `usualBatch`: its `batchTokens`.
 *
 * @throws TypeError, RangeError.
 */
export function checkModelOptions(given: unknown, own: readonly string[], usualBatch: number) {
  const options = expectOptions("options", given, [...own, ...KEYS]) as {
    [key in keyof ModelOptions]: unknown;
  };
  const { name, pooling, normalize = true, maxTokens, threads = 1, threshold } = options;
  const { batchTokens = usualBatch } = options;
  if (typeof normalize !== "boolean") throw expected("options.normalize", "a boolean", normalize);
  return {
    name: name === undefined ? undefined : expectName("options.name", name, 100),
    pooling: pooling === undefined ? undefined : expectOneOf("options.pooling", pooling, POOLINGS),
    normalize,
    maxTokens:
      maxTokens === undefined
        ? undefined
        : expectInteger("options.maxTokens", maxTokens, 3, 65_536),
    queryPrefix: checkPrefix("options.queryPrefix", options.queryPrefix),
    documentPrefix: checkPrefix("options.documentPrefix", options.documentPrefix),
    threads: expectInteger("options.threads", threads, 1, MOST_THREADS),
    batchTokens: expectInteger("options.batchTokens", batchTokens, 1, MOST_BATCH_TOKENS),
    threshold: threshold === undefined ? undefined : checkThreshold("options.threshold", threshold),
  };
}

/** A path, if it is given. @throws TypeError, RangeError. */
export function checkPath(argument: string, value: unknown): string | undefined {
  return value === undefined ? undefined : expectName(argument, value, LONGEST_PATH);
}

function checkPrefix(argument: string, value: unknown): string | undefined {
  if (value === undefined || value === "") return value;
  return expectName(argument, value, LONGEST_PREFIX);
}
