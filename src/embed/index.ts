export {
  EMBEDDERS,
  type Embedder,
  type EmbedderName,
  type EmbedKind,
  type EmbedOptions,
} from "./embedder.js";
