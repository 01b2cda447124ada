import type { Embedder, EmbedOptions } from "../embedder.js";
import { embedWithModel, type ModelRunner } from "../model-embedder.js";
import { type ModelFolder, modelDigest, type Prefixes } from "../model-folder.js";
import type { CheckedModelOptions } from "../model-options.js";
import type { Pooling } from "../pooling.js";
import type { BatchLimits } from "../token-batches.js";
import type { ModelSettings } from "./messages.js";
import { ModelThreads } from "./model-threads.js";

const MOST_BATCH_TEXTS = 256;
const MOST_PADDING = 0.1;
/** Of a memory's chunks, for each thread at a time. */
const TEXTS_A_THREAD = 16;

/** A model that runs on threads of its own. */
export interface StartedModel {
  readonly threads: ModelThreads;
  readonly runner: ModelRunner;
  readonly id: string;
  readonly dimensions: number;
  readonly pooling: Pooling;
  readonly threshold: number | undefined;
  readonly maxTokens: number;
  readonly prefixes: Prefixes;
  readonly limits: BatchLimits;
  readonly batchTexts: number;
  readonly device: string;
}

/** What is particular to what runs it. */
export interface ModelScript<T extends ModelSettings> {
  /** Runs in the threads. */
  readonly script: URL;
  /** All files of weights: the digest is made of them. */
  readonly files: readonly string[];
  /** What the script wants beyond {@link ModelSettings}, and the file of weights to load. */
  readonly settings: Omit<T, Exclude<keyof ModelSettings, "weights">>;
}

/** Starts a thread, and runs the model once to see that it works. */
export async function startModel<T extends ModelSettings>(
  model: ModelFolder,
  given: CheckedModelOptions,
  { script, files, settings }: ModelScript<T>,
): Promise<StartedModel> {
  const digest = await modelDigest(model, files);
  const { tokenizer, maxTokens, pooling, prefixes } = model;
  const { normalize, threshold } = given;
  const common = { tokenizer, maxTokens, pooling, normalize };
  const threads = new ModelThreads(script, { ...settings, ...common }, given.threads);
  const runner: ModelRunner = {
    tokenize: (texts, kind, signal) => threads.do({ kind: "tokenize", texts }, kind, signal),
    async run(tokens, kind, signal) {
      return (await threads.do({ kind: "run", ...tokens }, kind, signal)).vectors;
    },
  };
  try {
    const tokens = await runner.tokenize(["a"], "query", undefined);
    const probe = await runner.run(tokens, "query", undefined);
    const { device } = await threads.do({ kind: "describe" }, "query", undefined);
    return {
      threads,
      runner,
      id: `${model.name}@${digest}`,
      dimensions: probe.length,
      pooling,
      threshold,
      maxTokens,
      prefixes,
      limits: { tokens: given.batchTokens, texts: MOST_BATCH_TEXTS, padding: MOST_PADDING },
      batchTexts: TEXTS_A_THREAD * given.threads,
      device,
    };
  } catch (error) {
    await threads.close();
    throw error;
  }
}

/** What all embedders have in common whose model runs on threads of its own: the caller's event loop goes on. */
export abstract class ThreadedEmbedder implements Embedder, AsyncDisposable {
  /** The model's name, `@`, and a digest of its weights, tokenizer, prefixes and longest text. */
  readonly id: string;
  readonly dimensions: number;
  readonly pooling: Pooling;
  readonly threshold: number | undefined;
  readonly batchTexts: number;
  /** Tokens of a text that are embedded, at most. */
  readonly maxTokens: number;
  /** What runs the model, and where, in words. */
  readonly device: string;
  readonly #model: StartedModel;

  /** @internal */
  protected constructor(model: StartedModel) {
    this.id = model.id;
    this.dimensions = model.dimensions;
    this.pooling = model.pooling;
    this.threshold = model.threshold;
    this.batchTexts = model.batchTexts;
    this.maxTokens = model.maxTokens;
    this.device = model.device;
    this.#model = model;
  }

  /** @throws `DentateError` `DENTATE_ABORTED`, `DENTATE_CLOSED`, `DENTATE_UNAVAILABLE`. */
  async embed(
    texts: readonly string[],
    options: EmbedOptions = { kind: "document" },
  ): Promise<Float32Array[]> {
    return embedWithModel(this.#model.runner, this.#model, texts, options);
  }

  /** Lets the model go, after what runs. What waits rejects with `DENTATE_CLOSED`. */
  async close(): Promise<void> {
    await this.#model.threads.close();
  }

  /** {@link close}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
