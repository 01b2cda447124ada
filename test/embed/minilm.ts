import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The model that `npm run models` fetches; or another one in the same layout. */
export const MINILM =
  process.env["DENTATE_MODEL_DIR"] ??
  fileURLToPath(
    new URL("../../../../.cache/models/onnx-community/all-MiniLM-L6-v2-ONNX", import.meta.url),
  );

/** Why tests that need it are skipped; false: they aren't. */
export const WITHOUT_MINILM = existsSync(MINILM)
  ? false
  : `no model in ${MINILM}: npm run models fetches it, with the network`;
