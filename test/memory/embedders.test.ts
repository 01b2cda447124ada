import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Embedder, isDentateError, type Memory, type Turn } from "../../src/index.js";
import { withMemory } from "../lib/with-memory.js";

const DIMENSIONS = 8;
const STRATEGIES = ["rsm", "budget-rag", "dp-means"] as const;

/** An embedder whose answer is what `answer` makes of the texts. */
function embedderOf(answer: (texts: readonly string[]) => unknown): Embedder {
  return {
    id: "hostile",
    dimensions: DIMENSIONS,
    embed: (texts) => answer(texts) as Promise<readonly Float32Array[]>,
  };
}

function turns(count: number, session = "s"): Turn[] {
  return Array.from({ length: count }, (_, i) => ({
    role: "user",
    session,
    content: `Turn ${i} of ${session} is about the harbour.`,
  }));
}

const vectorsOf = (texts: readonly string[]) =>
  texts.map((text) => Float32Array.from({ length: DIMENSIONS }, (_, i) => 1 + text.charCodeAt(i)));
const isClosed = (error: unknown) => isDentateError(error, "DENTATE_CLOSED");
const ask = (memory: Memory, strategy: (typeof STRATEGIES)[number], signal?: AbortSignal) =>
  memory.recall("Where is the harbour?", { strategy, budget: 100, signal });

// An unhandled rejection, which these may not leave behind, fails a test by itself.
describe("embedders that fail", () => {
  const answers: Record<string, (texts: readonly string[]) => unknown> = {
    "throw at once": () => {
      throw new Error("no model");
    },
    "reject later": async () => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      throw new Error("no model");
    },
    "give nothing": () => undefined,
    "give too few": (texts) => vectorsOf(texts).slice(1),
    "give vectors of another length": (texts) => texts.map(() => new Float32Array(3)),
    "give what is no number": (texts) => texts.map(() => new Float32Array(DIMENSIONS).fill(NaN)),
    "give a list with holes": (texts) => new Array(texts.length),
  };
  for (const [name, answer] of Object.entries(answers)) {
    it(`${name}: the recall that wants them rejects, and everything else goes on`, () =>
      withMemory(
        async (memory) => {
          // The last turns are open: recalls embed them themselves, beside the question.
          await memory.addMany(turns(3));
          await assert.rejects(ask(memory, "budget-rag"));
          await memory.addMany(turns(9, "t"));
          await assert.rejects(memory.indexed());
          for (const strategy of STRATEGIES) await assert.rejects(ask(memory, strategy));
          await new Promise((resolve) => setTimeout(resolve, 60));
          const { items } = await memory.recall("Where is the harbour?", { budget: 100 });
          assert.ok(items.length > 0);
        },
        { embedder: embedderOf(answer) },
      ));
  }

  it("say nothing at all: the latest turns are recalled", () =>
    withMemory(
      async (memory) => {
        await memory.addMany(turns(12));
        await memory.indexed();
        for (const strategy of STRATEGIES) {
          assert.ok((await ask(memory, strategy)).items.length > 0, strategy);
        }
      },
      { embedder: embedderOf((texts) => texts.map(() => new Float32Array(DIMENSIONS))) },
    ));

  it("never answer: recalls can be aborted, and the memory closed", () =>
    withMemory(
      async (memory) => {
        await memory.addMany(turns(12));
        for (const strategy of STRATEGIES) {
          const controller = new AbortController();
          setTimeout(() => controller.abort(), 30);
          const aborted = ask(memory, strategy, controller.signal);
          await assert.rejects(aborted, (error) => isDentateError(error, "DENTATE_ABORTED"));
        }
        const late = [
          ...STRATEGIES.map((strategy) => assert.rejects(ask(memory, strategy), isClosed)),
          assert.rejects(memory.indexed(), isClosed),
        ];
        await new Promise((resolve) => setTimeout(resolve, 40));
        await memory.close();
        await Promise.all(late);
      },
      { embedder: embedderOf(() => new Promise(() => {})) },
    ));

  it("are slow, and their bank is another one by then: what they give is thrown away", () => {
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const seen: string[] = [];
    const embedder = embedderOf(async (texts) => {
      seen.push(...texts);
      await released;
      return vectorsOf(texts);
    });
    return withMemory(
      async (memory) => {
        const bank = memory.bank("b");
        await bank.addMany(turns(5, "old"));
        const indexed = bank.indexed();
        while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
        await memory.dropBank("b");
        await bank.addMany(turns(5, "new"));
        release();
        await indexed;
        await bank.indexed();
        assert.ok(seen.some((text) => text.includes("of new")));
        assert.equal((await bank.stats()).chunks, 1);
      },
      { embedder },
    );
  });

  it("are given a few texts at a time, however many are due", () => {
    let most = 0;
    const embedder = embedderOf((texts) => {
      most = Math.max(most, texts.length);
      return vectorsOf(texts);
    });
    return withMemory(
      async (memory) => {
        await memory.addMany(Array.from({ length: 700 }, (_, i) => turns(1, `s${i}`)).flat());
        await memory.add({ role: "user", content: "One sentence. ".repeat(2000) });
        await memory.indexed();
        assert.ok((await memory.stats()).chunks > 600);
        assert.ok(most <= 16, `${most} at a time`);
      },
      { embedder, chunkTokens: 64 },
    );
  });
});
