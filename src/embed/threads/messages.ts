import type { TokenizerFiles } from "../model-folder.js";
import type { Pooling } from "../pooling.js";
import type { Tokens } from "../tokens.js";

/** What every thread that runs a model is started with, whatever runs it there. */
export interface ModelSettings {
  readonly weights: string;
  readonly tokenizer: TokenizerFiles;
  readonly maxTokens: number;
  readonly pooling: Pooling;
  readonly normalize: boolean;
}

/** What it can be asked. */
export type ModelTask =
  | { readonly kind: "tokenize"; readonly texts: readonly string[] }
  /** Texts as token ids, one after the other, each at least one. */
  | { readonly kind: "run"; readonly ids: Int32Array; readonly lengths: Uint32Array }
  /** Where it computes. */
  | { readonly kind: "describe" };

/** A vector a text, one after the other. */
export interface Embedded {
  readonly vectors: Float32Array;
}

/** In words: "@tensorflow/tfjs-node 4.22.0, the CPU". */
export interface Described {
  readonly device: string;
}

interface Answers {
  readonly tokenize: Tokens;
  readonly run: Embedded;
  readonly describe: Described;
}
export type AnswerOf<T extends ModelTask> = Answers[T["kind"]];

/** What it answers: once when it is ready, with no result, and once a task. */
export type ModelAnswer =
  | { readonly result: Answers[keyof Answers] | undefined }
  | { readonly failure: { readonly message: string; readonly cause: unknown } };

/** Ends the thread. */
export const CLOSE = "close";
