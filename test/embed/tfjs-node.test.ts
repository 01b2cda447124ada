import { tfjsEmbedderSuite } from "./tfjs-embedder-suite.js";

/** Where `npm run test:tfjs-node` has set up libtensorflow, `npm test` runs through it too. */
tfjsEmbedderSuite("node", {
  packages: process.env["DENTATE_TFJS_FOLDER"] ?? ".cache/tfjs-node",
});
