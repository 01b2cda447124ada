import { tfjsSuite } from "./tfjs-suite.js";

/** Where a libtensorflow for GPUs was set up by hand, `npm test` runs through it too. */
tfjsSuite("node-gpu", process.env["DENTATE_TFJS_FOLDER"] ?? ".cache/tfjs-node-gpu");
