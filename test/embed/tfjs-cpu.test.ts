import { tfjsEmbedderSuite } from "./tfjs-embedder-suite.js";

tfjsEmbedderSuite("cpu", { isSlow: true });
