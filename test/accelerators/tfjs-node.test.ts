import { tfjsSuite } from "./tfjs-suite.js";

/** Where `npm run test:tfjs-node` has set up libtensorflow, `npm test` runs through it too. */
tfjsSuite("node", process.env["DENTATE_TFJS_FOLDER"] ?? ".cache/tfjs-node");
