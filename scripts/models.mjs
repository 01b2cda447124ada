// npm run models: fetches the sentence models that tests and benches run (50 and 23 MB), and says where they are.
// Exit code 0 without the network too: what needs a model is then skipped.

import { fetchMiniLm, fetchTfjsMiniLm, MINILM, MINILM_TFJS } from "./lib/minilm.mjs";

for (const [fetchModel, folder, kind] of [
  [fetchMiniLm, MINILM, "in ONNX"],
  [fetchTfjsMiniLm, MINILM_TFJS, "for TensorFlow.js"],
]) {
  try {
    await fetchModel();
    process.stdout.write(`${folder}\n`);
  } catch (error) {
    process.stdout.write(`Without the model all-MiniLM-L6-v2 ${kind}: ${error.message}\n`);
  }
}
