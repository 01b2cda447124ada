import { Latency } from "../lib/latency.js";
import type { Row } from "../lib/row.js";
import type { TextSource } from "../memory/text.js";
import { processorTime } from "./processor-time.js";
import type { Target } from "./target.js";

const CONNECTIONS = 64;

export interface RecallOptions {
  /** Of each comparison; what is compared takes turns. */
  readonly rounds: number;
  /** Of each open loop. */
  readonly seconds: number;
  /** Requests a second of the open loop. */
  readonly rate: number;
  /** Of each closed loop. */
  readonly questions: number;
}

/** Recalls over HTTP beside the same calls in the service's own process. */
export async function recalls(
  name: string,
  target: Target,
  source: TextSource,
  { rounds, seconds, rate, questions: count }: RecallOptions,
): Promise<Row[]> {
  const ask = (n: number) => Array.from({ length: n }, () => source.question(8, 12));
  await target.recallOverHttp(CONNECTIONS, { callers: CONNECTIONS }, ask(count));
  await target.recallInProcess({ callers: 1 }, ask(count));

  const rows: Row[] = [];
  const compare = async (
    what: string,
    overHttp: () => Promise<number[]>,
    inProcess: () => Promise<number[]>,
  ) => {
    const [http, own] = [new Latency(), new Latency()];
    const ms = [0, 0];
    const delays = [0, 0];
    /** Of processors: what the service takes, and who asks it. */
    const [service, sender] = [
      [0, 0],
      [0, 0],
    ];
    for (let round = 0; round < rounds; round++) {
      for (const [i, [latency, make]] of (
        [
          [http, overHttp],
          [own, inProcess],
        ] as const
      ).entries()) {
        await target.eventLoopDelay();
        const before = [await target.processorTime(), processorTime()] as const;
        const began = performance.now();
        for (const took of await make()) latency.record(took);
        ms[i]! += performance.now() - began;
        sender[i]! += processorTime() - before[1];
        service[i]! += (await target.processorTime()) - before[0];
        delays[i] = Math.max(delays[i]!, await target.eventLoopDelay());
      }
    }
    for (const [i, latency] of [http, own].entries()) {
      const whose = `${name}, ${what}, ${i === 0 ? "HTTP" : "in process"}`;
      rows.push(
        ...latency.rows(whose, "recall", "ms", [50, 95, 99, 99.9]),
        { name: whose, metric: "rate", value: (1000 * latency.count) / ms[i]!, unit: "1/s" },
        { name: whose, metric: "event-loop-delay-p99", value: delays[i]!, unit: "ms" },
        { name: whose, metric: "processors", value: service[i]! / latency.count, unit: "ms" },
        ...(i === 0
          ? [{ name: whose, metric: "sender", value: sender[i]! / latency.count, unit: "ms" }]
          : []),
      );
    }
    const ratio = (percentile: number) =>
      http.percentile(percentile)! / own.percentile(percentile)!;
    rows.push(
      ...[50, 99].map((p) => ({
        name: `${name}, ${what}, HTTP`,
        metric: `recall-p${p} ÷ in process`,
        value: ratio(p),
        unit: "ratio",
      })),
    );
  };
  await compare(
    "1 connection",
    () => target.recallOverHttp(1, { callers: 1 }, ask(count)),
    () => target.recallInProcess({ callers: 1 }, ask(count)),
  );
  await compare(
    `${rate}/s over ${CONNECTIONS}`,
    () => target.recallOverHttp(CONNECTIONS, { rate }, ask(rate * seconds)),
    () => target.recallInProcess({ rate }, ask(rate * seconds)),
  );
  await compare(
    `${CONNECTIONS} callers`,
    () => target.recallOverHttp(CONNECTIONS, { callers: CONNECTIONS }, ask(count)),
    () => target.recallInProcess({ callers: CONNECTIONS }, ask(count)),
  );
  return rows;
}
