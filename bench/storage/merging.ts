import { Memory } from "../../src/index.js";
import { Latency } from "../lib/latency.js";
import type { Row } from "../lib/row.js";
import { TextSource } from "../memory/text.js";
import { vocabulary } from "../memory/vocabulary.js";
import { footprint } from "./directory.js";
import { turnsOf } from "./turns.js";

/**
 * Recall while the store's two segments are merged into one, and without. Rounds of each alternate;
 * the disk's highest use during a merge is watched beside it.
 */
export async function merging(
  directory: string,
  tokens: number,
  rounds: number,
  seed: number,
): Promise<Row[]> {
  const name = `${tokens} tokens`;
  const source = new TextSource(seed, vocabulary());
  const memory = await Memory.open(directory);
  const quiet = new Latency();
  const busy = new Latency();
  let live = 0;
  let most = 0;
  try {
    await memory.addMany(turnsOf(source, tokens).turns);
    await memory.seal();
    await memory.compact();
    for (let i = 0; i < 200; i++) await memory.recall(source.question(8, 12));
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < 300; i++) await quiet.time(() => memory.recall(source.question(8, 12)));
      await memory.addMany(turnsOf(source, tokens / 20).turns);
      await memory.seal();
      live = footprint(directory).bytes;
      let merged = false;
      const merge = memory.compact().finally(() => {
        merged = true;
      });
      while (!merged) {
        await busy.time(() => memory.recall(source.question(8, 12)));
        most = Math.max(most, footprint(directory).bytes / live);
      }
      await merge;
    }
  } finally {
    await memory.close();
  }
  const p99 = (latency: Latency) => latency.rows(name, "recall", "ms", [99])[0]!.value;
  return [
    ...quiet.rows(name, "recall", "ms"),
    ...busy.rows(name, "recall-while-merging", "ms"),
    { name, metric: "recalls-while-merging", value: busy.count, unit: "count" },
    { name, metric: "p99-while-merging ÷ without", value: p99(busy) / p99(quiet), unit: "ratio" },
    { name, metric: "most-bytes-while-merging ÷ before", value: most, unit: "ratio" },
  ];
}
