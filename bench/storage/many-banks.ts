import { Memory, type Turn } from "../../src/index.js";
import { Latency } from "../lib/latency.js";
import { progress } from "../lib/progress.js";
import type { Row } from "../lib/row.js";
import { TextSource } from "../memory/text.js";
import { vocabulary } from "../memory/vocabulary.js";
import { footprint } from "./directory.js";
import { inChild } from "./in-child.js";
import { turnsOf } from "./turns.js";

/** Different conversations; banks share no bytes, so each may be in many of them. */
const CONVERSATIONS = 200;

/** What a child process (banks-child.ts) says of opening the store and asking every bank. */
export interface Touched {
  /** Resident bytes before opening, and after the last recall. */
  readonly imported: number;
  readonly touched: number;
  readonly openMs: number;
  readonly recallMs: number[];
}

/** What is said in a bank, and a question about it. */
export interface Conversation {
  readonly turns: readonly Turn[];
  readonly question: string;
}

/** Bank `user-i` gets number i modulo their number. */
export function conversationsOf(count: number, seed: number): Conversation[] {
  return Array.from({ length: Math.min(count, CONVERSATIONS) }, (_, i) => {
    const source = new TextSource(seed + i, vocabulary());
    return { turns: turnsOf(source, 1000).turns, question: source.question(8, 12) };
  });
}

/** Fills `count` banks of a new store, one durable `addMany` after the other, and closes it. */
export async function fillBanks(
  directory: string,
  count: number,
  conversations: readonly Conversation[],
): Promise<{ readonly fillMs: number; readonly closeMs: number }> {
  const filling = progress("filling banks", count);
  const memory = await Memory.open(directory);
  const began = performance.now();
  for (let i = 0; i < count; i++) {
    await memory.bank(`user-${i}`).addMany(conversations[i % conversations.length]!.turns);
    filling.step();
  }
  filling.stop();
  const filled = performance.now();
  await memory.close();
  return { fillMs: filled - began, closeMs: performance.now() - filled };
}

/**
 * A service with many users: `count` banks of 1,000 tokens in one store. It is filled and closed; then
 * a process of its own opens it and asks every bank one question, in an order that no cache can
 * guess, from a cold start on.
 */
export async function manyBanks(directory: string, count: number, seed: number): Promise<Row[]> {
  const name = `${count} banks of 1000 tokens`;
  const conversations = conversationsOf(count, seed);
  const { fillMs, closeMs } = await fillBanks(directory, count, conversations);
  const { files, bytes } = footprint(directory);

  const questions = conversations.map(({ question }) => question);
  const touched = await inChild<Touched>("./banks-child.js", [directory, String(count)], questions);
  const latency = new Latency();
  for (const ms of touched.recallMs) latency.record(ms);
  const megabytes = (bytes: number) => bytes / 2 ** 20;
  return [
    { name, metric: "fill-rate", value: (1000 * count) / fillMs, unit: "banks/s" },
    { name, metric: "close", value: closeMs / 1000, unit: "s" },
    { name, metric: "files", value: files, unit: "count" },
    { name, metric: "store", value: megabytes(bytes), unit: "MB" },
    { name, metric: "open", value: touched.openMs, unit: "ms" },
    {
      name,
      metric: "resident after touching all",
      value: megabytes(touched.touched),
      unit: "MB",
    },
    { name, metric: "of it before opening", value: megabytes(touched.imported), unit: "MB" },
    ...latency.rows(name, "recall", "ms"),
  ];
}
