// Add and recall through the public API, on text that doesn't repeat and questions that are all
// different, so that no cache can answer. Each bank size gets its own memory.
//
//   add-p50 ...            one `await bank.add(turn)` of about 50 tokens, while the bank fills
//   recall-p50 ...         one `await bank.recall(question)`, one after the other, whole bank there
//   recall-long-p50 ...    the same with questions of 60 to 100 words
//   event-loop-delay-p99   under concurrent adds and recalls, as perf_hooks measures it: the time
//                          between two ticks of a 1 ms timer, so an idle loop shows about 1.1
//   bytes-per-input-byte   what the bank says it holds, over the UTF-8 bytes of what was added
//
// Latencies are HDR histograms; ops/s come from the `benchmark` package.

import type { Command } from "commander";
import { Memory, type RecallOptions } from "../src/index.js";
import { Latency } from "./lib/latency.js";
import { integer, list, oneOf, positiveInteger } from "./lib/options.js";
import { progress } from "./lib/progress.js";
import type { Row, SuiteOptions } from "./lib/row.js";
import { concurrent } from "./memory/concurrent.js";
import { fill } from "./memory/fill.js";
import { TextSource } from "./memory/text.js";
import { throughput } from "./memory/throughput.js";
import { vocabulary } from "./memory/vocabulary.js";

type StrategyName = NonNullable<RecallOptions["strategy"]>;

export interface MemoryBenchOptions extends SuiteOptions {
  readonly sizes?: readonly number[];
  readonly strategies: readonly StrategyName[];
  readonly budget: number;
  readonly questions?: number;
  readonly seed: number;
}

/** The words of a question of LoCoMo's length, and of RealMem's. */
export const LENGTHS = { recall: [8, 12], "recall-long": [60, 100] } as const;
/** Small banks fill in no time: several are filled, so that enough adds are timed. */
const LEAST_ADDS = 2000;
const TURN_TOKENS = 50;

export function configure(command: Command): void {
  command
    .option("--sizes <tokens>", "bank sizes (default: 10000,100000,1000000)", list(positiveInteger))
    .option(
      "--strategies <names>",
      "recall strategies",
      list(oneOf<StrategyName>(["hybrid", "hippocampus"])),
      ["hybrid"] as StrategyName[],
    )
    .option("--budget <tokens>", "of each recall", positiveInteger, 2000)
    .option("--questions <n>", "distinct questions a size (default: 1000)", positiveInteger)
    .option("--seed <n>", "of the text", integer, 1);
}

export async function run(options: SuiteOptions): Promise<Row[]> {
  const { quick, strategies, budget, seed, ...rest } = options as MemoryBenchOptions;
  const sizes = rest.sizes ?? (quick ? [10_000] : [10_000, 100_000, 1_000_000]);
  const questions = rest.questions ?? (quick ? 50 : 1000);
  const rows: Row[] = [];
  await warmUp(seed, budget);
  for (const size of sizes) {
    const name = `${size} tokens`;
    const add = new Latency();
    const banks = quick ? 1 : Math.max(1, Math.ceil((LEAST_ADDS * TURN_TOKENS) / size));
    for (let spare = 1; spare < banks; spare++) {
      const memory = await Memory.open({ inMemory: true });
      await fill(memory, new TextSource(seed + spare, vocabulary()), size, add);
      await memory.close();
    }
    const memory = await Memory.open({ inMemory: true });
    try {
      const source = new TextSource(seed, vocabulary());
      const filled = await fill(memory, source, size, add);
      rows.push(...add.rows(name, "add", "us"), ...filled.rows(name));
      for (const strategy of strategies) {
        for (const [metric, [low, high]] of Object.entries(LENGTHS)) {
          const latency = new Latency();
          const bar = progress(`${name}, ${strategy} ${metric}`, questions);
          for (let i = 0; i < questions; i++) {
            const question = source.question(low, high);
            await latency.time(() => memory.recall(question, { budget, strategy }));
            bar.step();
          }
          bar.stop();
          rows.push(...latency.rows(`${name}/${strategy}`, metric, "ms"));
        }
      }
      rows.push(...(await throughput(name, memory, source, { quick, budget })));
      rows.push(...(await concurrent(name, memory, source, { quick, budget })));
    } finally {
      await memory.close();
    }
  }
  return rows;
}

/** Lets the JavaScript engine compile what is measured; nothing of it is counted. */
async function warmUp(seed: number, budget: number): Promise<void> {
  const memory = await Memory.open({ inMemory: true });
  const source = new TextSource(seed + 1_000_000, vocabulary());
  await fill(memory, source, 20_000, new Latency());
  for (let i = 0; i < 100; i++) await memory.recall(source.question(8, 12), { budget });
  await memory.close();
}
