import { createRequire } from "node:module";

/** How far a long command is. Nothing is drawn unless stderr is a terminal. */
export interface Progress {
  advance(count: number): void;
  stop(): void;
}

/** A bar on stderr that counts to `total`. */
export function startProgress(label: string, total: number): Progress {
  if (!process.stderr.isTTY) return { advance() {}, stop() {} };
  // Loaded by those who have a terminal to see it on.
  const require = createRequire(import.meta.url);
  const { Presets, SingleBar } = require("cli-progress") as typeof import("cli-progress");
  const bar = new SingleBar(
    { format: `${label} {bar} {value}/{total}`, stream: process.stderr, clearOnComplete: true },
    Presets.shades_classic,
  );
  bar.start(total, 0);
  return { advance: (count) => bar.increment(count), stop: () => bar.stop() };
}
