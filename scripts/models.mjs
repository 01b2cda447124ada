// npm run models: fetches the sentence model that tests and benches run (50 MB), and says where it is.
// Exit code 0 without the network too: what needs the model is then skipped.

import { fetchMiniLm, MINILM } from "./lib/minilm.mjs";

try {
  fetchMiniLm();
  process.stdout.write(`${MINILM}\n`);
} catch (error) {
  process.stdout.write(`Without the model all-MiniLM-L6-v2: ${error.message}\n`);
}
