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
export { OnnxEmbedder, type OnnxEmbedderOptions } from "./onnx/onnx-embedder.js";
export { type OpenAiEmbedder, openAiEmbedder } from "./openai/openai-embedder.js";
export type { OpenAiEmbedderOptions } from "./openai/options.js";
export { POOLINGS, type Pooling } from "./pooling.js";
