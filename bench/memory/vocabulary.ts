import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { STOP_WORDS } from "../../src/text/stop-words.js";

/** Of the asset's header: see scripts/distill.mjs, which writes it. */
const COUNT_AT = 8;
const TEXT_BYTES_AT = 16;
const HEADER_BYTES = 24;
/** Before the texts, each word has a scale and a weight of two bytes, and its length in one. */
const BYTES_BEFORE_LENGTHS = 4;

/** English words from the distilled encoder's asset, the most frequent first, without stop words. */
export function vocabulary(): readonly string[] {
  const bytes = readFileSync(fileURLToPath(import.meta.resolve("#assets/distilled-words.bin")));
  const count = bytes.readUInt32LE(COUNT_AT);
  const lengths = bytes.subarray(HEADER_BYTES + BYTES_BEFORE_LENGTHS * count).subarray(0, count);
  let at = HEADER_BYTES + (BYTES_BEFORE_LENGTHS + 1) * count;
  const texts = bytes.toString("latin1", 0, at + bytes.readUInt32LE(TEXT_BYTES_AT));
  const words: string[] = [];
  for (const length of lengths) {
    const word = texts.slice(at, at + length);
    at += length;
    if (/^[a-z]{3,}$/.test(word) && !STOP_WORDS.has(word)) words.push(word);
  }
  return words;
}
