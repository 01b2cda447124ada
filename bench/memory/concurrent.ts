import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Memory } from "../../src/index.js";
import { Latency } from "../lib/latency.js";
import type { Row } from "../lib/row.js";
import type { TextSource } from "./text.js";

const CALLERS = 64;
const RESOLUTION_MS = 1;

/**
 * 64 callers at once, half of them adding and half recalling, for a few seconds: how long the event
 * loop is held up, and whether each resolved add is in the recall that its caller starts next.
 */
export async function concurrent(
  name: string,
  memory: Memory,
  source: TextSource,
  { quick, budget }: { quick: boolean; budget: number },
): Promise<Row[]> {
  const end = performance.now() + (quick ? 500 : 5000);
  const add = new Latency();
  const recall = new Latency();
  let checked = 0;
  let missing = 0;
  const adder = async (caller: number) => {
    for (let turn = 0; performance.now() < end; turn++) {
      // A word that occurs nowhere else, so that the next recall has one right answer.
      const word = `zq${caller}x${turn}vk`;
      const said = source.turn();
      const { id } = await add.time(() =>
        memory.add({ ...said, content: `${said.content} Remember ${word}.` }),
      );
      const { items } = await recall.time(() => memory.recall(`What is ${word}?`, { budget }));
      checked++;
      if (!items.some((item) => item.id === id)) missing++;
    }
  };
  const asker = async () => {
    while (performance.now() < end) {
      const question = source.question(8, 12);
      await recall.time(() => memory.recall(question, { budget }));
    }
  };
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  await Promise.all(Array.from({ length: CALLERS }, (_, i) => (i % 2 === 0 ? adder(i) : asker())));
  delay.disable();
  if (missing > 0) throw new Error(`${missing} of ${checked} resolved adds were not recalled`);
  const under = `${name}/${CALLERS} callers`;
  const rows = [50, 99, 99.9].map((percentile) => ({
    name: under,
    metric: `event-loop-delay-p${percentile}`,
    value: delay.percentile(percentile) / 1e6,
    unit: "ms",
  }));
  return [
    ...rows,
    { name: under, metric: "event-loop-delay-max", value: delay.max / 1e6, unit: "ms" },
    ...add.rows(under, "add", "us"),
    ...recall.rows(under, "recall", "ms"),
    {
      name: under,
      metric: "adds-in-next-recall",
      value: (100 * (checked - missing)) / checked,
      unit: "%",
    },
    { name: under, metric: "adds-checked", value: checked, unit: "count" },
  ];
}
