import { tfjsEmbedderSuite } from "./tfjs-embedder-suite.js";

tfjsEmbedderSuite("wasm");
