import { Presets, SingleBar } from "cli-progress";

/** A progress bar on stderr where that is a terminal, else nothing. */
export interface Progress {
  step(count?: number): void;
  stop(): void;
}

export function progress(what: string, total: number): Progress {
  if (!process.stderr.isTTY) return { step: () => undefined, stop: () => undefined };
  const bar = new SingleBar(
    { format: `${what} {bar} {value}/{total}, {eta_formatted} left`, clearOnComplete: true },
    Presets.shades_classic,
  );
  bar.start(total, 0);
  return { step: (count = 1) => bar.increment(count), stop: () => bar.stop() };
}
