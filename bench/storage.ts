// A store on disk, through the public API, on text that doesn't repeat:
//
//   opening     a store of each size, in a process of its own that has the library loaded: how long
//               until the first recall's answer, less a warm recall; resident memory before it; and
//               the bytes of all files over the UTF-8 bytes that were added
//   adds        durable single adds from 64 callers beside better-sqlite3 (WAL, synchronous=FULL, FTS5)
//   bulk        one durable addMany of a million tokens beside one transaction of better-sqlite3
//   banks       10,000 banks of 1,000 tokens: files, opening, resident memory, recall
//   merging     recall while segments are merged, and without
//
// Everything is written below --directory (the system's temporary one unless given): figures of
// durable adds are that disk's.

import type { Command } from "commander";
import { integer, list, oneOf, positiveInteger } from "./lib/options.js";
import { installPeers } from "./lib/peers.js";
import type { Row, SuiteOptions } from "./lib/row.js";
import { bulk } from "./storage/bulk.js";
import { inDirectory } from "./storage/directory.js";
import { durableAdds } from "./storage/durable-adds.js";
import { manyBanks } from "./storage/many-banks.js";
import { merging } from "./storage/merging.js";
import { fillStore, measureOpening, sizeRows } from "./storage/opening.js";

const PARTS = ["opening", "adds", "bulk", "banks", "merging"] as const;
type PartName = (typeof PARTS)[number];

interface StorageBenchOptions extends SuiteOptions {
  readonly parts: readonly PartName[];
  readonly sizes?: readonly number[];
  readonly banks?: number;
  readonly rounds?: number;
  readonly directory?: string;
  readonly seed: number;
}

export function configure(command: Command): void {
  command
    .option("--parts <names>", "which of them", list(oneOf<PartName>(PARTS)), [...PARTS])
    .option("--sizes <tokens>", "stores to open (default: 1000000,10000000)", list(positiveInteger))
    .option("--banks <n>", "banks of 1,000 tokens (default: 10000)", positiveInteger)
    .option("--rounds <n>", "of each comparison (default: 5)", positiveInteger)
    .option("--directory <path>", "where stores are made")
    .option("--seed <n>", "of the text", integer, 1);
}

export async function run(options: SuiteOptions): Promise<Row[]> {
  const { quick, parts, directory: parent, seed, ...rest } = options as StorageBenchOptions;
  const sizes = rest.sizes ?? (quick ? [50_000] : [1_000_000, 10_000_000]);
  const rounds = rest.rounds ?? (quick ? 1 : 5);
  const banks = rest.banks ?? (quick ? 50 : 10_000);
  const million = quick ? 50_000 : 1_000_000;
  if (parts.includes("adds") || parts.includes("bulk")) {
    const problem = installPeers();
    if (problem !== undefined) throw new Error(problem);
  }
  const measures: Record<PartName, (directory: string) => Promise<Row[]>> = {
    opening: async (directory) => {
      const rows: Row[] = [];
      for (const size of sizes) {
        const name = `${size} tokens`;
        const store = `${directory}/${size}`;
        const filled = await fillStore(store, size, seed);
        rows.push(...sizeRows(name, store, filled));
        rows.push(...(await measureOpening(name, store, filled.questions, rounds)));
      }
      return rows;
    },
    adds: (directory) => durableAdds(directory, rounds, quick ? 0.2 : 2, seed),
    bulk: (directory) => bulk(directory, million, Math.min(rounds, 3), seed),
    banks: (directory) => manyBanks(directory, banks, seed),
    merging: (directory) => merging(directory, million, Math.min(rounds, 3), seed),
  };
  const rows: Row[] = [];
  for (const part of PARTS) {
    if (parts.includes(part)) rows.push(...(await inDirectory(parent, measures[part])));
  }
  return rows;
}
