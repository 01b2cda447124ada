import type { Bits } from "../internal/bits.js";
import { inSearchSlot } from "../internal/search-slots.js";
import type { NativeView } from "../native/store-binding.js";
import type { SignatureEncoder } from "../signatures/encoder.js";
import { words } from "../text/words.js";
import { defaultRadius } from "./strategy.js";

/** An entry that holds less than this share of what is looked for is about something else. */
const LEAST_SHARE = 0.6;
const WEIGHTS = {
  ...{ dense: 0, speaker: 0, neighbours: new Float32Array(4), length: 0.1, prune: 0.08 },
  ...{ codes: 6, visits: 1024, candidates: 0, piece: 0, whole: 0, cut: 0, entryShare: 0 },
  ...{ bulky: 0, acting: 0, bulkPrice: 0, bulkFree: 1, actionFree: 1, giveWay: 0, repeat: 0 },
};

/** The entry that holds the words of `text` best, where one holds most of them. */
export async function entryOf(
  { encoder }: { readonly encoder: SignatureEncoder },
  view: NativeView,
  text: string,
  mask: Bits | undefined,
): Promise<number | undefined> {
  const { signatures, stems, wordOf } = encoder.encodeQuery(words(text));
  if (stems.length === 0) return undefined;
  const radius = defaultRadius(encoder.bits);
  const { entries, signatureScores } = await inSearchSlot(() =>
    view.search({ signatures, stems, wordOf, radius, limit: 1, weights: WEIGHTS, mask }),
  );
  return (signatureScores[0] ?? 0) >= LEAST_SHARE ? entries[0] : undefined;
}
