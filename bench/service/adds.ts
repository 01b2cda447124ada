import { Latency } from "../lib/latency.js";
import type { Row } from "../lib/row.js";
import type { TextSource } from "../memory/text.js";
import type { Target } from "./target.js";

const CALLERS = 64;

/**
 * Durable adds of single turns from 64 callers, over HTTP and in process, each into a bank of its own;
 * the two take turns in rounds.
 */
export async function adds(
  name: string,
  target: Target,
  source: TextSource,
  rounds: number,
  count: number,
): Promise<Row[]> {
  const load = { callers: CALLERS };
  const take = () => Array.from({ length: count }, () => source.turn());
  const contestants = [
    ["HTTP", new Latency(), () => target.addOverHttp(CALLERS, load, "over-http", take())],
    ["in process", new Latency(), () => target.addInProcess(load, "in-process", take())],
  ] as const;
  const ms = [0, 0];
  for (const [, , add] of contestants) await add();
  for (let round = 0; round < rounds; round++) {
    for (const [i, [, latency, add]] of contestants.entries()) {
      const began = performance.now();
      for (const took of await add()) latency.record(took);
      ms[i]! += performance.now() - began;
    }
  }
  return contestants.flatMap(([how, latency], i): Row[] => {
    const whose = `${name}, ${CALLERS} callers, ${how}`;
    const rate = (1000 * latency.count) / ms[i]!;
    return [
      { name: whose, metric: "durable-adds", value: rate, unit: "turns/s" },
      ...latency.rows(whose, "add", "ms"),
    ];
  });
}
