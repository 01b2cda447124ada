import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  expected,
  expectInteger,
  expectName,
  expectOneOf,
  expectOptions,
} from "../../internal/check.js";
import { checkThreshold, type Embedder, type EmbedOptions } from "../embedder.js";
import { embedWithModel, type ModelRunner } from "../model-embedder.js";
import { firstFile, modelDigest, type Prefixes, readModelFolder } from "../model-folder.js";
import { POOLINGS, type Pooling } from "../pooling.js";
import type { BatchLimits } from "../token-batches.js";
import { ModelThreads } from "./model-threads.js";

/** How {@link OnnxEmbedder.fromFolder} runs a model. Unless given, the folder says it. */
export interface OnnxEmbedderOptions {
  /**
   * The weights, relative to the folder. Unless given, the first that is there of
   * `onnx/model_quantized.onnx`, `onnx/model_int8.onnx`, `onnx/model.onnx`, `onnx/model_q4.onnx` and
   * `model.onnx`.
   */
  readonly file?: string | undefined;
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
  /** Tokens that are run at once, padding counted: 1 to 1,048,576; 2,048 unless given. */
  readonly batchTokens?: number | undefined;
  /** See {@link Embedder.threshold}. */
  readonly threshold?: number | undefined;
}

const KEYS = [
  "file",
  "name",
  "pooling",
  "normalize",
  "maxTokens",
  "queryPrefix",
  "documentPrefix",
  "threads",
  "batchTokens",
  "threshold",
] as const satisfies (keyof OnnxEmbedderOptions)[];

const FILES = [
  "onnx/model_quantized.onnx",
  "onnx/model_int8.onnx",
  "onnx/model.onnx",
  "onnx/model_q4.onnx",
  "model.onnx",
];
const DEFAULT_BATCH_TOKENS = 2048;
const MOST_BATCH_TOKENS = 1 << 20;
const MOST_BATCH_TEXTS = 256;
const MOST_PADDING = 0.1;
const MOST_THREADS = 64;
const LONGEST_PREFIX = 4096;

/**
 * A sentence model in ONNX, run by `onnxruntime-node` on threads of its own: the caller's event loop goes
 * on meanwhile. It wants a folder as the Hugging Face hub has them, and the packages `onnxruntime-node`
 * and `@huggingface/tokenizers`.
 *
 * ```ts
 * const embedder = await OnnxEmbedder.fromFolder("./models/bge-small-en-v1.5");
 * const memory = await Memory.open("./agent-memory", { embedder });
 * // ...
 * await memory.close();
 * await embedder.close();
 * ```
 */
export class OnnxEmbedder implements Embedder, AsyncDisposable {
  /** The model's name, `@`, and a digest of its weights, tokenizer, prefixes and longest text. */
  readonly id: string;
  readonly dimensions: number;
  readonly pooling: Pooling;
  readonly threshold: number | undefined;
  /** Tokens of a text that are embedded, at most. */
  readonly maxTokens: number;
  readonly #runner: ModelRunner;
  readonly #threads: ModelThreads;
  readonly #prefixes: Prefixes;
  readonly #limits: BatchLimits;

  private constructor(
    threads: ModelThreads,
    runner: ModelRunner,
    limits: BatchLimits,
    model: {
      readonly id: string;
      readonly dimensions: number;
      readonly pooling: Pooling;
      readonly threshold: number | undefined;
      readonly maxTokens: number;
      readonly prefixes: Prefixes;
    },
  ) {
    this.id = model.id;
    this.dimensions = model.dimensions;
    this.pooling = model.pooling;
    this.threshold = model.threshold;
    this.maxTokens = model.maxTokens;
    this.#threads = threads;
    this.#runner = runner;
    this.#prefixes = model.prefixes;
    this.#limits = limits;
  }

  /**
   * Loads a model, and runs it once to see that it works.
   *
   * @throws TypeError, RangeError; `DentateError` `DENTATE_IO`: the folder lacks a file;
   * `DENTATE_CORRUPTION`: one of its JSON files is none; `DENTATE_UNAVAILABLE`: a package is missing, or the model
   * can't be run.
   */
  static async fromFolder(
    directory: string,
    options: OnnxEmbedderOptions = {},
  ): Promise<OnnxEmbedder> {
    const folder = expectName("directory", directory, 4096);
    const given = checkOptions(options);
    const model = await readModelFolder(folder, given);
    const files = given.file === undefined ? FILES : [given.file];
    const weights = await firstFile(model.directory, files);
    const digest = await modelDigest(model, await withData(weights));
    const threads = new ModelThreads(
      {
        weights,
        tokenizer: model.tokenizer,
        maxTokens: model.maxTokens,
        pooling: model.pooling,
        normalize: given.normalize,
      },
      given.threads,
    );
    const runner: ModelRunner = {
      tokenize: (texts, kind, signal) => threads.do({ kind: "tokenize", texts }, kind, signal),
      async run(tokens, kind, signal) {
        return (await threads.do({ kind: "run", ...tokens }, kind, signal)).vectors;
      },
    };
    try {
      const probe = await runner.run(
        await runner.tokenize(["a"], "query", undefined),
        "query",
        undefined,
      );
      const limits = {
        tokens: given.batchTokens,
        texts: MOST_BATCH_TEXTS,
        padding: MOST_PADDING,
      };
      return new OnnxEmbedder(threads, runner, limits, {
        ...model,
        id: `${model.name}@${digest}`,
        dimensions: probe.length,
        threshold: given.threshold,
      });
    } catch (error) {
      await threads.close();
      throw error;
    }
  }

  /** @throws `DentateError` `DENTATE_ABORTED`, `DENTATE_CLOSED`, `DENTATE_UNAVAILABLE`. */
  async embed(
    texts: readonly string[],
    options: EmbedOptions = { kind: "document" },
  ): Promise<Float32Array[]> {
    const { dimensions } = this;
    return embedWithModel(
      this.#runner,
      { dimensions, prefixes: this.#prefixes, limits: this.#limits },
      texts,
      options,
    );
  }

  /** Lets the model go, after what runs. What waits rejects with `DENTATE_CLOSED`. */
  async close(): Promise<void> {
    await this.#threads.close();
  }

  /** {@link close}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** The weights, and what they are split into where they are large. */
async function withData(weights: string): Promise<string[]> {
  const names = await readdir(dirname(weights));
  const name = basename(weights);
  return names
    .filter((each) => each === name || each.startsWith(`${name}_data`) || each === `${name}.data`)
    .sort()
    .map((each) => join(dirname(weights), each));
}

function checkOptions(given: OnnxEmbedderOptions) {
  const options = expectOptions("options", given, KEYS) as {
    [key in keyof OnnxEmbedderOptions]: unknown;
  };
  const { file, name, pooling, normalize = true, maxTokens, threads = 1, threshold } = options;
  const { batchTokens = DEFAULT_BATCH_TOKENS } = options;
  if (typeof normalize !== "boolean") throw expected("options.normalize", "a boolean", normalize);
  return {
    file: file === undefined ? undefined : expectName("options.file", file, 4096),
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

function checkPrefix(argument: string, value: unknown): string | undefined {
  if (value === undefined || value === "") return value;
  return expectName(argument, value, LONGEST_PREFIX);
}
