import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The model that `npm run models` fetches. */
export const MINILM_TFJS = fileURLToPath(
  new URL("../../../../.cache/models/tfjs/all-MiniLM-L6-v2", import.meta.url),
);

/** Why tests that need it are skipped; false: they aren't. */
export const WITHOUT_MINILM_TFJS = existsSync(MINILM_TFJS)
  ? false
  : `no model in ${MINILM_TFJS}: npm run models fetches it, with the network`;
