import { tfjsSuite } from "./tfjs-suite.js";

tfjsSuite("wasm");
