import assert from "node:assert/strict";
import type { Memory, Recall, RecallOptions, Turn } from "../../src/index.js";
import { readConversations } from "../../src/ingest/read-conversations.js";
import { examplePath } from "../../src/package.js";

/** The conversation that comes with the package: a year, a few hundred turns. */
export async function bundledTurns(): Promise<readonly Turn[]> {
  const [conversation] = await readConversations(examplePath("conversation.jsonl"));
  return conversation!.turns;
}

export const QUESTIONS = [
  "What is the address of Mara and Tomas in Lisbon?",
  "How many espressos does Mara drink a day?",
  "What is Ingrid allergic to?",
  "How much did the notary pay for the rolltop desk?",
];

const RULES = ["first-singular-vector", "centroid", "subspace", "best-member"] as const;

/** Every strategy that an accelerator has a part in, each rule for atoms among them. */
export const WAYS: readonly RecallOptions[] = [
  { strategy: "hybrid" },
  { strategy: "hippocampus" },
  { strategy: "hippocampus-paper", radius: 40 },
  { strategy: "budget-rag" },
  ...RULES.map((retrieveBy) => ({ strategy: "rsm" as const, retrieveBy })),
  { strategy: "rsm", retrieveBy: "subspace", retrieveK: 2 },
];

/** What of a recall must be the same wherever it ran. */
export function orderOf({ items, atoms }: Recall) {
  return {
    items: items.map(({ id, score, pieces }) => `${id} ${score} ${pieces.join()}`),
    atoms: atoms.map(({ atom, ids }) => `${atom}: ${ids}`),
  };
}

/** Answer by answer, so that what differs can be read. */
export function assertSameOrders(found: Orders, expected: Orders): void {
  assert.equal(found.length, expected.length);
  for (const [i, { question, way, ...order }] of found.entries()) {
    const { question: _, way: __, ...other } = expected[i]!;
    assert.deepEqual(order, other, `${question} ${JSON.stringify(way)}`);
  }
}

export type Orders = Awaited<ReturnType<typeof askAll>>["orders"];

/** All answers of a memory, and the operations that ran on an accelerator for them. */
export async function askAll(memory: Memory, more: RecallOptions = {}) {
  const orders = [];
  const ran = new Map<string, Set<string>>();
  for (const way of WAYS) {
    for (const question of QUESTIONS) {
      const recall = await memory.recall(question, { budget: 300, ...way, ...more });
      orders.push({ question, way, ...orderOf(recall) });
      for (const { operation, accelerator } of recall.timings.accelerators) {
        const name = way.retrieveBy ?? way.strategy!;
        ran.set(name, (ran.get(name) ?? new Set()).add(`${operation} ${accelerator}`));
      }
    }
  }
  return { orders, ran };
}
