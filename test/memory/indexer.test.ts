import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Indexer, type IndexerHost } from "../../src/atoms/indexer.js";
import type { BankHandle } from "../../src/bank-handle.js";
import { chooseEmbedding } from "../../src/embed/choice.js";
import type { IndexedChunks } from "../../src/native/chunk-binding.js";
import type { Tokenizer } from "../../src/text/tokenizer.js";

const STEP: IndexedChunks = { chunks: 32, turns: 160 };
const NOTHING_DUE: IndexedChunks = { chunks: 0, turns: 0 };

/** An indexer of banks that take what {@link STEP} says, while turns are added without a pause. */
async function whileAdding(
  turns: number,
  check: (world: {
    readonly steps: () => number;
    readonly addAndPass: (added: number, ms: number) => Promise<void>;
    readonly indexer: Indexer;
  }) => Promise<void>,
): Promise<void> {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  let left = 0;
  let steps = 0;
  const native = {
    indexChunks: async () => {
      if (left < STEP.turns) return NOTHING_DUE;
      left -= STEP.turns;
      steps++;
      return STEP;
    },
  };
  const host: IndexerHost = {
    embedding: chooseEmbedding("distilled", {
      embedder: undefined,
      chunkTurns: undefined,
      chunkTokens: undefined,
      threshold: undefined,
    }),
    tokenizer: { vocabularySize: 1 } as Tokenizer,
    isOpen: true,
    bank: () => ({ native }) as unknown as BankHandle,
  };
  const indexer = new Indexer(host);
  const addAndPass = async (added: number, ms: number) => {
    left += added;
    indexer.due("ana", added);
    mock.timers.tick(ms);
    // What it does without a timer: a step is one turn of the event loop.
    for (let before = -1; before !== steps; ) {
      before = steps;
      for (let i = 0; i < 4; i++) await setImmediate();
    }
  };
  try {
    // It begins after a second, although there was no quiet moment.
    for (let i = 0; i < 100; i++) await addAndPass(turns / 100, 10);
    await check({ steps: () => steps, addAndPass, indexer });
  } finally {
    await indexer.close();
    mock.timers.reset();
  }
}

describe("an indexer, while turns are added", () => {
  it("rests after a step, where little lies undone", () =>
    whileAdding(5000, async ({ steps }) => assert.equal(steps(), 1)));

  it("works without a rest until 200,000 turns lie undone", () =>
    whileAdding(210_000, async ({ steps, addAndPass }) => {
      const undone = 210_000 - steps() * STEP.turns;
      assert.ok(undone <= 200_000, `${undone} turns`);
      assert.ok(undone > 200_000 - STEP.turns, "and no longer");
      const before = steps();
      await addAndPass(1, 0);
      assert.equal(steps(), before, "it rests");
      await addAndPass(10 * STEP.turns, 300);
      assert.ok(steps() >= before + 10, "and goes on");
    }));

  it("makes the rest when somebody waits for it", () =>
    whileAdding(210_000, async ({ steps, indexer }) => {
      await indexer.caughtUp("ana");
      assert.equal(steps(), Math.floor(210_000 / STEP.turns));
    }));
});
