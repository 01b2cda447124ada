export {
  EMBEDDERS,
  type Embedder,
  type EmbedderName,
  type EmbedKind,
  type EmbedOptions,
} from "./embedder.js";
export { OnnxEmbedder, type OnnxEmbedderOptions } from "./onnx/onnx-embedder.js";
export { POOLINGS, type Pooling } from "./pooling.js";
