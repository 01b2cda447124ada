import { idNumber, idOf } from "../ids.js";
import { withCancel } from "../native/cancel.js";
import { type NativeView, NONE } from "../native/store-binding.js";
import type { ResolvedMapOptions } from "../options.js";
import type { RecallEngine } from "../recall/recall.js";
import { words } from "../text/words.js";
import type { BankMap, MapChunk } from "../types.js";
import { type AllChunks, ChunkAccess, saysNothing } from "./chunk-access.js";
import { principalPlane } from "./principal-plane.js";

const EMPTY: BankMap = { chunks: [], question: undefined, total: 0, shares: [0, 0] };

/** A bank's chunks by the two directions in which they differ most; none without an embedder. */
export function mapBank(
  engine: RecallEngine,
  bankName: string,
  { question, limit, ids, signal }: ResolvedMapOptions,
): Promise<BankMap> {
  return withCancel(signal, async (cancel) => {
    const bank = await engine.loadedBank(bankName);
    return bank.viewing(undefined, async (view) => {
      if (view.liveCount === 0) return EMPTY;
      const chunks = new ChunkAccess({
        embedding: engine.embedding,
        tokenizer: engine.tokenizer,
        view,
        question,
        vector: engine.encoder.encodeQuery(words(question)).vector,
        mask: undefined,
        acceleration: undefined,
        cancel,
        signal,
        wanted: () => {
          if (!engine.readOnly) engine.indexer.wanted(bankName);
        },
        caughtUp: async () => {},
        untilClosed: (pending) => engine.untilClosed(pending),
      });
      const all = await chunks.all();
      engine.assertOpen();
      if (all === undefined) return EMPTY;
      const chosen = choose(view, all, limit, ids);
      return draw(view, all, chosen);
    });
  });
}

/** Those of the entries first, then others, evenly spread, up to `limit`: in their order. */
function choose(
  view: NativeView,
  { offsets, entries }: AllChunks,
  limit: number,
  ids: readonly string[],
): Uint32Array {
  const count = offsets.length - 1;
  const origins = ids.map(idNumber).filter((number) => number !== undefined);
  const wanted = new Set(view.newest(Uint32Array.from(origins)));
  const chosen = new Set<number>();
  for (let i = 0; i < count && chosen.size < limit; i++) {
    if (entries.subarray(offsets[i], offsets[i + 1]).some((entry) => wanted.has(entry))) {
      chosen.add(i);
    }
  }
  const room = Math.min(limit, count) - chosen.size;
  const others = count - chosen.size;
  let passed = 0;
  for (let i = 0; i < count && room > 0; i++) {
    if (chosen.has(i)) continue;
    // The share of those passed that are taken stays room / others.
    if (Math.floor(((passed + 1) * room) / others) > Math.floor((passed * room) / others)) {
      chosen.add(i);
    }
    passed++;
  }
  return Uint32Array.from(chosen).sort();
}

async function draw(view: NativeView, all: AllChunks, chosen: Uint32Array): Promise<BankMap> {
  const { dimensions, vectors, offsets, entries, atoms, question } = all;
  const rows = new Float32Array(chosen.length * dimensions);
  for (const [row, i] of chosen.entries()) {
    rows.set(vectors.subarray(i * dimensions, (i + 1) * dimensions), row * dimensions);
  }
  const plane = await principalPlane(rows, dimensions);
  const originOf = view.origins(entries);
  const chunks = Array.from(chosen, (i, row): MapChunk => {
    // A long entry may have several pieces in one chunk.
    const origins = new Set(originOf.subarray(offsets[i], offsets[i + 1]));
    return {
      atom: atoms[i] === NONE ? undefined : atoms[i],
      x: plane.points[2 * row]!,
      y: plane.points[2 * row + 1]!,
      ids: Array.from(origins, idOf),
    };
  });
  return {
    chunks,
    question: saysNothing(question) ? undefined : plane.project(unitLength(question)),
    total: offsets.length - 1,
    shares: plane.shares,
  };
}

function unitLength(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
