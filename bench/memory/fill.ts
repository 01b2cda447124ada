import type { Memory } from "../../src/index.js";
import { loadTokenizer } from "../../src/text/tokenizer.js";
import type { Latency } from "../lib/latency.js";
import { progress } from "../lib/progress.js";
import type { Row } from "../lib/row.js";
import type { TextSource } from "./text.js";

export interface Filled {
  rows(name: string): Row[];
}

/** Adds turns one by one until the default bank has `tokens` tokens, recording each add. */
export async function fill(
  memory: Memory,
  source: TextSource,
  tokens: number,
  add: Latency,
): Promise<Filled> {
  const tokenizer = loadTokenizer();
  const bar = progress(`filling to ${tokens} tokens`, tokens);
  let turns = 0;
  let bytes = 0;
  let filled = 0;
  let ms = 0;
  while (filled < tokens) {
    const turn = source.turn();
    const count = tokenizer.count(turn.content);
    const start = performance.now();
    await memory.add(turn);
    const took = performance.now() - start;
    add.record(took);
    ms += took;
    filled += count;
    bytes += Buffer.byteLength(turn.content);
    turns++;
    bar.step(count);
  }
  bar.stop();
  const stats = await memory.stats();
  return {
    rows: (name) => [
      { name, metric: "turns", value: turns, unit: "count" },
      { name, metric: "tokens-per-turn", value: filled / turns, unit: "tokens" },
      { name, metric: "fill-rate", value: (1000 * turns) / ms, unit: "turns/s" },
      {
        name,
        metric: "bytes-per-input-byte",
        value: stats.bytes / bytes,
        unit: "ratio",
      },
    ],
  };
}
