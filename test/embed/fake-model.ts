// A model for threads that is none: a text's vector is how many characters it has, and some texts are orders.
import { setTimeout as sleep } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import type { TextTokens } from "../../src/embed/text-tokens.js";
import type { ModelSettings } from "../../src/embed/threads/messages.js";
import { serveModel } from "../../src/embed/threads/serve-model.js";

/** First characters that are orders. */
export const FAIL = "!";
export const DIE = "#";
export const SLOW = "~";

const { weights } = workerData as ModelSettings;

await serveModel(async () => {
  if (weights === "broken") throw new Error("it is broken");
  const tokens = {
    encode: (text: string) => Array.from(text, (character) => character.codePointAt(0)!),
  };
  return {
    tokens: tokens as unknown as TextTokens,
    device: "none",
    async run({ ids, lengths }) {
      const order = String.fromCodePoint(ids[0]!);
      if (order === FAIL) throw new Error("it failed");
      if (order === DIE) process.exit(1);
      if (order === SLOW) await sleep(150);
      return Float32Array.from(lengths, (length) => length);
    },
    release: async () => {},
  };
});
