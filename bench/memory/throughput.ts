import Benchmark from "benchmark";
import { Memory } from "../../src/index.js";
import type { Row } from "../lib/row.js";
import type { TextSource } from "./text.js";

/** More than one benchmark goes through, so that a question is asked once. */
const QUESTIONS = 20_000;

/** Operations a second by the `benchmark` package, one call after the other. */
export async function throughput(
  name: string,
  memory: Memory,
  source: TextSource,
  { quick, budget }: { quick: boolean; budget: number },
): Promise<Row[]> {
  const questions = Array.from({ length: quick ? 2000 : QUESTIONS }, () => source.question(8, 12));
  const turns = Array.from({ length: 1000 }, () => source.turn());
  // Adds go to a memory of their own: the one that is measured keeps its size.
  const sink = await Memory.open({ inMemory: true });
  let asked = 0;
  let added = 0;
  const rows = [
    ...(await measure(name, "add", quick, () => sink.add(turns[added++ % turns.length]!))),
    ...(await measure(name, "recall", quick, () =>
      memory.recall(questions[asked++ % questions.length]!, { budget }),
    )),
  ];
  await sink.close();
  return rows;
}

function measure(
  name: string,
  operation: string,
  quick: boolean,
  run: () => Promise<unknown>,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const benchmark = new Benchmark(operation, {
      defer: true,
      minSamples: quick ? 1 : 5,
      maxTime: quick ? 0.2 : 2,
      fn: (deferred: { resolve(): void }) => {
        run().then(() => deferred.resolve(), reject);
      },
      onComplete: () =>
        resolve([
          { name, metric: `${operation}-ops`, value: benchmark.hz, unit: "ops/s" },
          { name, metric: `${operation}-ops-margin`, value: benchmark.stats.rme, unit: "%" },
        ]),
    });
    benchmark.run({ async: true });
  });
}
