import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Memory } from "../../src/index.js";
import type { Row } from "../lib/row.js";
import { TextSource } from "../memory/text.js";
import { vocabulary } from "../memory/vocabulary.js";
import { SqliteTurns } from "./sqlite.js";
import { turnsOf } from "./turns.js";

/**
 * A million tokens at once: one durable `addMany`, beside one transaction of better-sqlite3 with
 * text and FTS5. Ours tokenizes and makes signatures on the way, theirs cuts words.
 */
export async function bulk(
  directory: string,
  tokens: number,
  rounds: number,
  seed: number,
): Promise<Row[]> {
  const { turns } = turnsOf(new TextSource(seed, vocabulary()), tokens);
  const best = { ours: Number.POSITIVE_INFINITY, theirs: Number.POSITIVE_INFINITY };
  for (let round = 0; round < rounds; round++) {
    const at = (name: string) => {
      const path = join(directory, `${name}-${round}`);
      mkdirSync(path);
      return path;
    };
    const memory = await Memory.open(at("dentate"));
    let began = performance.now();
    await memory.addMany(turns);
    best.ours = Math.min(best.ours, performance.now() - began);
    await memory.close();
    const database = new SqliteTurns(at("sqlite"));
    began = performance.now();
    database.add(turns);
    best.theirs = Math.min(best.theirs, performance.now() - began);
    database.close();
  }
  const rate = (ms: number) => (1000 * turns.length) / ms;
  return [
    {
      name: `dentate, ${tokens} tokens`,
      metric: "bulk-add",
      value: rate(best.ours),
      unit: "turns/s",
    },
    {
      name: `better-sqlite3, ${tokens} tokens`,
      metric: "bulk-add",
      value: rate(best.theirs),
      unit: "turns/s",
    },
    {
      name: `dentate, ${tokens} tokens`,
      metric: "÷ better-sqlite3, one transaction",
      value: best.theirs / best.ours,
      unit: "ratio",
    },
  ];
}
