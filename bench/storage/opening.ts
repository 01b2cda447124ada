import { Memory } from "../../src/index.js";
import type { Row } from "../lib/row.js";
import { TextSource } from "../memory/text.js";
import { vocabulary } from "../memory/vocabulary.js";
import { footprint } from "./directory.js";
import { inChild } from "./in-child.js";
import { BATCH_TOKENS, turnsOf } from "./turns.js";

/** What a child process (opening-child.ts) says of one opening. */
export interface OpeningTimes {
  /** `Memory.open`, until it resolves. */
  readonly openMs: number;
  /** The first recall's answer. */
  readonly firstMs: number;
  /** The median of later recalls. */
  readonly warmMs: number;
}

/** Resident bytes after the import, after `Memory.open`, after some recalls. */
export interface OpeningMemory {
  readonly imported: number;
  readonly opened: number;
  readonly recalled: number;
}

export interface Filled {
  readonly tokens: number;
  readonly inputBytes: number;
  readonly questions: string[];
  /** Knows what was said, and what could be asked or said next. */
  readonly source: TextSource;
  readonly ms: number;
}

/** Fills the default bank of a new store by `addMany` and closes it. */
export async function fillStore(directory: string, tokens: number, seed: number): Promise<Filled> {
  const source = new TextSource(seed, vocabulary());
  const memory = await Memory.open(directory);
  let filled = 0;
  let inputBytes = 0;
  let ms = 0;
  try {
    while (filled < tokens) {
      const batch = turnsOf(source, Math.min(BATCH_TOKENS, tokens - filled));
      filled += batch.tokens;
      inputBytes += batch.bytes;
      const start = performance.now();
      await memory.addMany(batch.turns);
      ms += performance.now() - start;
    }
  } finally {
    await memory.close();
  }
  const questions = Array.from({ length: 60 }, () => source.question(8, 12));
  return { tokens: filled, inputBytes, questions, source, ms };
}

/** Opens the store in processes of their own, `rounds` times, and takes the median of each figure. */
export async function measureOpening(
  name: string,
  directory: string,
  questions: readonly string[],
  rounds: number,
): Promise<Row[]> {
  const times: OpeningTimes[] = [];
  const memory: OpeningMemory[] = [];
  for (let round = 0; round < rounds; round++) {
    times.push(await ask<OpeningTimes>("time", directory, questions));
    memory.push(await ask<OpeningMemory>("memory", directory, questions));
  }
  const ms = (metric: string, of: (one: OpeningTimes) => number): Row => ({
    name,
    metric,
    value: median(times.map(of)),
    unit: "ms",
  });
  const megabytes = (metric: string, of: (one: OpeningMemory) => number): Row => ({
    name,
    metric,
    value: median(memory.map(of)) / 2 ** 20,
    unit: "MB",
  });
  return [
    ms("open", (one) => one.openMs),
    ms("first-recall", (one) => one.firstMs),
    ms("warm-recall", (one) => one.warmMs),
    ms("open-to-first-answer less a warm recall", (one) => one.openMs + one.firstMs - one.warmMs),
    megabytes("resident after opening, over the import", (one) => one.opened - one.imported),
    megabytes("resident after recalls, over the import", (one) => one.recalled - one.imported),
  ];
}

function median(values: number[]): number {
  values.sort((a, b) => a - b);
  return values[values.length >> 1]!;
}

function ask<T>(
  what: "time" | "memory",
  directory: string,
  questions: readonly string[],
): Promise<T> {
  return inChild("./opening-child.js", [what, directory], questions);
}

/** Bytes of all files over the UTF-8 bytes of what was added. */
export function sizeRows(name: string, directory: string, { inputBytes }: Filled): Row[] {
  const { files, bytes } = footprint(directory);
  return [
    { name, metric: "store-bytes-per-input-byte", value: bytes / inputBytes, unit: "ratio" },
    { name, metric: "files", value: files, unit: "count" },
  ];
}
