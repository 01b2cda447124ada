import { parentPort } from "node:worker_threads";
import { DynamicWaveletMatrix } from "../../src/structures/index.js";

/** Appends, seals and checks for ever; says "right" or "wrong" after each round. */
const symbols = Uint32Array.from({ length: 50_000 }, (_, i) => (i * 7919) % 200_000);
for (;;) {
  const wm = new DynamicWaveletMatrix({ symbolBits: 18, sealAfter: 20_000 });
  for (let i = 0; i < 4; i++) wm.append(symbols);
  const right =
    wm.rank(symbols[5]!, wm.length) === 4 * symbols.filter((s) => s === symbols[5]).length;
  parentPort!.postMessage(right ? "right" : "wrong");
  await wm.seal();
}
