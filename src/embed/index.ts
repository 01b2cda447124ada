export {
  type CacheCounts,
  type CachedEmbedder,
  type CacheOptions,
  cachedEmbedder,
} from "./cache/cached-embedder.js";
export {
  EMBEDDERS,
  type Embedder,
  type EmbedderName,
  type EmbedKind,
  type EmbedOptions,
} from "./embedder.js";
export type { ModelOptions } from "./model-options.js";
export { OnnxEmbedder, type OnnxEmbedderOptions } from "./onnx/onnx-embedder.js";
export { type OpenAiEmbedder, openAiEmbedder } from "./openai/openai-embedder.js";
export type { OpenAiEmbedderOptions } from "./openai/options.js";
export { POOLINGS, type Pooling } from "./pooling.js";
export { TfjsEmbedder, type TfjsEmbedderOptions } from "./tfjs/tfjs-embedder.js";
export type { ThreadedEmbedder } from "./threads/threaded-embedder.js";
