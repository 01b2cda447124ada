import type { TokenizerFiles } from "../model-folder.js";
import type { Pooling } from "../pooling.js";

/** What a thread that runs a model is started with. */
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
  | { readonly kind: "run"; readonly ids: Int32Array; readonly lengths: Uint32Array };

/** Token ids, one text after the other. */
export interface Tokenized {
  readonly ids: Int32Array;
  readonly lengths: Uint32Array;
}

/** A vector a text, one after the other. */
export interface Embedded {
  readonly vectors: Float32Array;
}

export type AnswerOf<T extends ModelTask> = T extends { kind: "tokenize" } ? Tokenized : Embedded;

/** What it answers: once when it is ready, with no result, and once a task. */
export type ModelAnswer =
  | { readonly result: Tokenized | Embedded | undefined }
  | { readonly failure: { readonly message: string; readonly cause: unknown } };

/** Ends the thread. */
export const CLOSE = "close";
