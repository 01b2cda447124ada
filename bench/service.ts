// `dentate serve` beside the library in process, on two processors or however many there are:
//
//   recall    one bank: one connection; an open loop at a fixed rate over 64 connections, its latency
//             counted from the moment when each request was to be sent; 64 callers, each one request
//             after the other
//   adds      durable single adds from 64 callers
//   tenants   10,000 banks of 1,000 tokens served by `dentate serve`: its start, resident memory, recalls
//
// The service is a process of its own, with a key and a line of log for each request. What it is
// compared with are the same calls made by that process itself, of the same store and with the
// service running, in turns. Whoever sends the requests takes its share of the same processors: `processors` is
// what the service takes of them for a request, all threads together, and `sender` what asking takes.

import type { Command } from "commander";
import { integer, list, oneOf, positiveInteger } from "./lib/options.js";
import type { Row, SuiteOptions } from "./lib/row.js";
import { adds } from "./service/adds.js";
import { recalls } from "./service/recalls.js";
import { Target } from "./service/target.js";
import { tenants } from "./service/tenants.js";
import { inDirectory } from "./storage/directory.js";
import { fillStore } from "./storage/opening.js";

const PARTS = ["recall", "adds", "tenants"] as const;
type PartName = (typeof PARTS)[number];

interface ServiceBenchOptions extends SuiteOptions {
  readonly parts: readonly PartName[];
  readonly size?: number;
  readonly rate: number;
  readonly rounds?: number;
  readonly tenants?: number;
  readonly directory?: string;
  readonly seed: number;
}

export function configure(command: Command): void {
  command
    .option("--parts <names>", "which of them", list(oneOf<PartName>(PARTS)), [...PARTS])
    .option("--size <tokens>", "of the bank (default: 1000000)", positiveInteger)
    .option("--rate <requests>", "of the open loop, a second", positiveInteger, 500)
    .option("--rounds <n>", "of each comparison (default: 3)", positiveInteger)
    .option("--tenants <n>", "banks of 1,000 tokens (default: 10000)", positiveInteger)
    .option("--directory <path>", "where stores are made")
    .option("--seed <n>", "of the text", integer, 1);
}

export async function run(options: SuiteOptions): Promise<Row[]> {
  const { quick, parts, rate, directory: parent, seed, ...rest } = options as ServiceBenchOptions;
  const size = rest.size ?? (quick ? 20_000 : 1_000_000);
  const rounds = rest.rounds ?? (quick ? 1 : 3);
  const count = quick ? 100 : 1000;
  const rows: Row[] = [];
  if (parts.includes("recall") || parts.includes("adds")) {
    await inDirectory(parent, async (directory) => {
      const store = `${directory}/store`;
      const name = `${size} tokens`;
      const { source } = await fillStore(store, size, seed);
      const target = await Target.start(store);
      try {
        if (parts.includes("recall")) {
          const seconds = quick ? 1 : 10;
          const how = { rounds, rate, seconds, questions: count };
          rows.push(...(await recalls(name, target, source, how)));
        }
        if (parts.includes("adds")) {
          rows.push(...(await adds(name, target, source, rounds, 10 * count)));
        }
      } finally {
        await target.stop();
      }
    });
  }
  if (parts.includes("tenants")) {
    const banks = rest.tenants ?? (quick ? 50 : 10_000);
    rows.push(...(await inDirectory(parent, (directory) => tenants(directory, banks, seed))));
  }
  return rows;
}
