import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Memory } from "../../src/index.js";
import type { Row } from "../lib/row.js";
import { TextSource } from "../memory/text.js";
import { vocabulary } from "../memory/vocabulary.js";
import { SqliteTurns } from "./sqlite.js";
import { type TextTurn, turnsOf } from "./turns.js";

const CALLERS = 64;

/**
 * Single turns, each acknowledged when it survives a power cut, from 64 callers at once, beside the
 * same turns through better-sqlite3, one transaction each, and 64 in one transaction. The three take
 * turns in short rounds, since the disk is shared; a figure is the median of its rounds.
 */
export async function durableAdds(
  directory: string,
  rounds: number,
  seconds: number,
  seed: number,
): Promise<Row[]> {
  const take = withoutRepeating(turnsOf(new TextSource(seed, vocabulary()), 400_000).turns);
  const sqlite = join(directory, "sqlite");
  mkdirSync(sqlite);
  const database = new SqliteTurns(sqlite);
  const memory = await Memory.open(join(directory, "dentate"));
  const contestants: [string, (until: number) => Promise<number>][] = [
    ["dentate, 64 callers", (until) => concurrently(memory, take, until)],
    [
      "better-sqlite3, a transaction each",
      async (until) => inTransactions(database, take, 1, until),
    ],
    [
      "better-sqlite3, 64 in a transaction",
      async (until) => inTransactions(database, take, CALLERS, until),
    ],
  ];
  const rates = contestants.map((): number[] => []);
  try {
    for (const [, add] of contestants) await add(performance.now() + 200);
    for (let round = 0; round < rounds; round++) {
      for (const [i, [, add]] of contestants.entries()) {
        const began = performance.now();
        const added = await add(began + 1000 * seconds);
        rates[i]!.push((1000 * added) / (performance.now() - began));
      }
    }
  } finally {
    await memory.close();
    database.close();
  }
  const [ours, each, together] = rates.map((values) => {
    values.sort((a, b) => a - b);
    return values[values.length >> 1]!;
  }) as [number, number, number];
  const rows = contestants.map(
    ([name], i): Row => ({
      name,
      metric: "durable-adds",
      value: [ours, each, together][i]!,
      unit: "turns/s",
    }),
  );
  const name = "dentate, 64 callers";
  return [
    ...rows,
    { name, metric: "÷ better-sqlite3, a transaction each", value: ours / each, unit: "ratio" },
    {
      name,
      metric: "÷ better-sqlite3, 64 in a transaction",
      value: ours / together,
      unit: "ratio",
    },
  ];
}

/** Turns without end: the first half of one and the second half of another, each two once. */
function withoutRepeating(turns: readonly TextTurn[]): () => TextTurn {
  const halves = turns.map(({ content }): readonly [string, string] => {
    const text: string = content;
    const middle = text.indexOf(" ", text.length >> 1);
    return [text.slice(0, middle), text.slice(middle)];
  });
  let next = 0;
  return () => {
    const i = next % turns.length;
    const other = (i + Math.floor(next++ / turns.length) + 1) % turns.length;
    return { ...turns[i]!, content: halves[i]![0] + halves[other]![1] };
  };
}

async function concurrently(memory: Memory, take: () => TextTurn, until: number): Promise<number> {
  let added = 0;
  const caller = async () => {
    while (performance.now() < until) {
      await memory.add(take());
      added++;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return added;
}

function inTransactions(
  database: SqliteTurns,
  take: () => TextTurn,
  size: number,
  until: number,
): number {
  let added = 0;
  while (performance.now() < until) {
    database.add(Array.from({ length: size }, take));
    added += size;
  }
  return added;
}
