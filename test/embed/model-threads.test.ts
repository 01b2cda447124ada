import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { embedWithModel, type ModelRunner } from "../../src/embed/model-embedder.js";
import { ModelThreads } from "../../src/embed/threads/model-threads.js";
import { isDentateError } from "../../src/index.js";

const SCRIPT = new URL("./fake-model.js", import.meta.url);
const SETTINGS = {
  weights: "",
  tokenizer: { tokenizer: {}, config: {} },
  maxTokens: 512,
  pooling: "mean",
  normalize: false,
} as const;
const isUnavailable = (error: unknown) => isDentateError(error, "DENTATE_UNAVAILABLE");
const isAborted = (error: unknown) => isDentateError(error, "DENTATE_ABORTED");

/** An embedder with the fake model, which counts characters. */
async function withThreads(
  count: number,
  work: (
    embed: (texts: readonly string[], signal?: AbortSignal) => Promise<number[]>,
    threads: ModelThreads,
  ) => Promise<void>,
  weights = "",
): Promise<void> {
  const threads = new ModelThreads(SCRIPT, { ...SETTINGS, weights }, count);
  const runner: ModelRunner = {
    tokenize: (texts, kind, signal) => threads.do({ kind: "tokenize", texts }, kind, signal),
    run: async (tokens, kind, signal) =>
      (await threads.do({ kind: "run", ...tokens }, kind, signal)).vectors,
  };
  const model = {
    dimensions: 1,
    prefixes: { query: "", document: "" },
    limits: { tokens: 8, texts: 4, padding: 0 },
  };
  const embed = async (texts: readonly string[], signal?: AbortSignal) =>
    (await embedWithModel(runner, model, texts, { kind: "document", signal })).map((v) => v[0]!);
  try {
    await work(embed, threads);
  } finally {
    await threads.close();
  }
}

describe("threads of a model", () => {
  for (const count of [1, 3]) {
    it(`give the answers in the order of the texts, ${count} of them`, () =>
      withThreads(count, async (embed) => {
        const texts = Array.from({ length: 100 }, (_, i) => "x".repeat((i * 7) % 13));
        assert.deepEqual(
          await embed(texts),
          texts.map(({ length }) => length),
        );
      }));
  }

  it("go on after a task that failed", () =>
    withThreads(1, async (embed) => {
      await assert.rejects(embed(["abc", "!"]), isUnavailable);
      assert.deepEqual(await embed(["abc"]), [3]);
    }));

  it("are made anew where one dies, and lose the task that it had alone", () =>
    withThreads(1, async (embed) => {
      const dying = assert.rejects(embed(["#"]), isUnavailable);
      const others = embed(["abc", "de"]);
      await dying;
      assert.deepEqual(await others, [3, 2]);
    }));

  it("reject everything where the model can't be loaded, and try again when asked again", () =>
    withThreads(
      2,
      async (embed) => {
        const all = [embed(["a"]), embed(["b"]), embed(["c"])];
        for (const each of all) await assert.rejects(each, isUnavailable);
        await assert.rejects(embed(["d"]), /it is broken/);
      },
      "broken",
    ));

  it("take nothing that was given up", () =>
    withThreads(1, async (embed) => {
      const slow = embed(["~a"]);
      const controller = new AbortController();
      const given = assert.rejects(embed(["#"], controller.signal), isAborted);
      controller.abort();
      await given;
      assert.deepEqual(await slow, [2]);
      assert.deepEqual(await embed(["abc"]), [3]);
    }));

  it("end after what runs", () =>
    withThreads(1, async (embed, threads) => {
      const waiting = assert.rejects(embed(["~a", "b"]), (error) =>
        isDentateError(error, "DENTATE_CLOSED"),
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
      await threads.close();
      await waiting;
    }));
});
