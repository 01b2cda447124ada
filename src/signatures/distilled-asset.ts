import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { DentateError } from "../errors.js";
import { assetPath } from "../package.js";

/** SHA-256 of assets/distilled-words.bin; a store made with another table cannot be read with it. */
export const DISTILLED_SHA256 = "85df9266ff5c5230181fab767cb1b728f1b17d8ef91187b3645f845c566a01df";

/**
 * The table of distilled word vectors, checked against its hash.
 *
 * @throws {@link DentateError} `DENTATE_UNAVAILABLE` where the file is missing,
 *   `DENTATE_CORRUPTION` where it has been altered.
 */
export function readDistilledAsset(): Uint8Array {
  const file = assetPath("distilled-words.bin");
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw new DentateError("DENTATE_UNAVAILABLE", "the table of word vectors cannot be read", {
      cause,
    });
  }
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== DISTILLED_SHA256) {
    throw new DentateError(
      "DENTATE_CORRUPTION",
      `${file} has sha256 ${found}, expected ${DISTILLED_SHA256}`,
    );
  }
  return bytes;
}
