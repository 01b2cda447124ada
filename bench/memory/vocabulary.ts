import { readDistilledAsset } from "../../src/signatures/distilled-asset.js";
import { STOP_WORDS } from "../../src/text/stop-words.js";

/** Of the asset's layout: see scripts/distill.mjs, which writes it. */
const COUNT_AT = 8;
const TEXT_BYTES_AT = 16;
const HEADER_BYTES = 24;

/**
 * English words from the distilled encoder's table, the most frequent first, without stop words.
 *
 * The table is in alphabetical order, but has each word's weight, which falls with its frequency:
 * after the header come all scales, all weights (two bytes each), all lengths (one), all texts.
 */
export function vocabulary(): readonly string[] {
  const asset = readDistilledAsset();
  const bytes = Buffer.from(asset.buffer, asset.byteOffset, asset.byteLength);
  const count = bytes.readUInt32LE(COUNT_AT);
  const weightsAt = HEADER_BYTES + 2 * count;
  const lengthsAt = weightsAt + 2 * count;
  let at = lengthsAt + count;
  const texts = bytes.toString("latin1", 0, at + bytes.readUInt32LE(TEXT_BYTES_AT));
  const words: { word: string; weight: number }[] = [];
  for (let i = 0; i < count; i++) {
    const length = bytes.readUInt8(lengthsAt + i);
    const word = texts.slice(at, at + length);
    at += length;
    if (/^[a-z]{3,}$/.test(word) && !STOP_WORDS.has(word)) {
      words.push({ word, weight: bytes.readUInt16LE(weightsAt + 2 * i) });
    }
  }
  return words.sort((a, b) => a.weight - b.weight).map(({ word }) => word);
}
