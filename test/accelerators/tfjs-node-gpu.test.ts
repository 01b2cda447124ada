import { tfjsSuite } from "./tfjs-suite.js";

/** What `npm run test:tfjs-node` sets up finds no GPU; bench/gpu.sh names a folder with a library that may. */
tfjsSuite("node-gpu", process.env["DENTATE_TFJS_FOLDER"] ?? ".cache/tfjs-node");
