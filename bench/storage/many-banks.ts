import { readFileSync } from "node:fs";
import { Memory } from "../../src/index.js";
import { Latency } from "../lib/latency.js";
import { progress } from "../lib/progress.js";
import type { Row } from "../lib/row.js";
import { TextSource } from "../memory/text.js";
import { vocabulary } from "../memory/vocabulary.js";
import { footprint } from "./directory.js";
import { turnsOf } from "./turns.js";

/** Different conversations; banks share no bytes, so each may be in many of them. */
const CONVERSATIONS = 200;

/**
 * A service with many users: `count` banks of 1,000 tokens in one store. It is filled, closed, opened
 * again, and then every bank is asked one question, in an order that no cache can guess.
 */
export async function manyBanks(directory: string, count: number, seed: number): Promise<Row[]> {
  const name = `${count} banks of 1000 tokens`;
  const conversations = Array.from({ length: Math.min(count, CONVERSATIONS) }, (_, i) => {
    const source = new TextSource(seed + i, vocabulary());
    return { turns: turnsOf(source, 1000).turns, question: source.question(8, 12) };
  });
  const conversation = (i: number) => conversations[i % conversations.length]!;
  const filling = progress("filling banks", count);
  let memory = await Memory.open(directory);
  const began = performance.now();
  for (let i = 0; i < count; i++) {
    await memory.bank(`user-${i}`).addMany(conversation(i).turns);
    filling.step();
  }
  filling.stop();
  const filled = performance.now() - began;
  const closing = performance.now();
  await memory.close();
  const closeMs = performance.now() - closing;
  const { files, bytes } = footprint(directory);

  const before = residentBytes();
  const opening = performance.now();
  memory = await Memory.open(directory);
  const openMs = performance.now() - opening;
  const latency = new Latency();
  const asking = progress("asking banks", count);
  for (let step = 0; step < count; step++) {
    const i = (step * 7919) % count;
    await latency.time(() => memory.bank(`user-${i}`).recall(conversation(i).question));
    asking.step();
  }
  asking.stop();
  const resident = residentBytes();
  await memory.close();
  return [
    { name, metric: "fill-rate", value: (1000 * count) / filled, unit: "banks/s" },
    { name, metric: "close", value: closeMs / 1000, unit: "s" },
    { name, metric: "files", value: files, unit: "count" },
    { name, metric: "store", value: bytes / 2 ** 20, unit: "MB" },
    { name, metric: "open", value: openMs, unit: "ms" },
    { name, metric: "resident after touching all", value: resident / 2 ** 20, unit: "MB" },
    { name, metric: "of it since opening", value: (resident - before) / 2 ** 20, unit: "MB" },
    ...latency.rows(name, "recall", "ms"),
  ];
}

function residentBytes(): number {
  const status = readFileSync("/proc/self/status", "utf8");
  return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
}
