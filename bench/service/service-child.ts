// A process that serves a store as `dentate serve` does, with a key and a line of log for each
// request, and makes the same calls itself when it is told to: see target.ts.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { makeLogger } from "../../src/cli/service-flags.js";
import { Memory } from "../../src/index.js";
import { KeyRing, listen, makeKey } from "../../src/server/index.js";
import { closedLoop, openLoop } from "./loads.js";
import { processorTime } from "./processor-time.js";
import type { Load, Order, Served } from "./target.js";

const [directory] = process.argv.slice(2) as [string];
const { key, record } = makeKey("bench", ["*"]);
const memory = await Memory.open(directory);
await memory.indexed();
const service = await listen({
  memory,
  keys: new KeyRing([record]),
  logger: await makeLogger("/dev/null"),
});
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

process.on("message", async (order: Order) => {
  process.send!(await obey(order));
});
process.once("disconnect", async () => {
  await service.close();
  await memory.close();
});
const served: Served = { url: service.url, key };
process.send!(served);

/** The result; null where there is none, which JSON has. */
async function obey(order: Order): Promise<number[] | null> {
  switch (order.kind) {
    case "recalls":
      return make(order.load, order.questions.length, (i) => memory.recall(order.questions[i]!));
    case "adds": {
      const bank = memory.bank(order.bank);
      return make(order.load, order.turns.length, (i) => bank.add(order.turns[i]!));
    }
    case "delay": {
      const p99 = delay.percentile(99) / 1e6;
      delay.reset();
      return [p99];
    }
    case "processor-time":
      return [processorTime()];
  }
}

function make(load: Load, count: number, call: (i: number) => Promise<unknown>) {
  return "rate" in load ? openLoop(load.rate, count, call) : closedLoop(load.callers, count, call);
}
