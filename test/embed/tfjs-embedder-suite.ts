import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import type { TfjsBackend } from "../../src/accelerators/tfjs/index.js";
import { TfjsEmbedder } from "../../src/embed/index.js";
import { isDentateError } from "../../src/index.js";
import { PAIRS, spearman } from "./similar-sentences.js";
import { MINILM_TFJS, WITHOUT_MINILM_TFJS } from "./tfjs-model.js";

const DOCUMENT = { kind: "document" } as const;
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);

/** How the suite is run. */
interface SuiteOptions {
  readonly packages?: string;
  /** Plain JavaScript takes minutes for what the others do in seconds: one short text then. */
  readonly isSlow?: boolean;
}

/** What a graph model owes its users, on any backend. Skipped where the backend is not installed. */
export function tfjsEmbedderSuite(
  backend: TfjsBackend,
  { packages, isSlow = false }: SuiteOptions = {},
): void {
  describe(`all-MiniLM-L6-v2 through tfjs on ${backend}`, { skip: WITHOUT_MINILM_TFJS }, () => {
    let embedder: TfjsEmbedder | undefined;
    let reason = "";

    before(async () => {
      try {
        embedder = await TfjsEmbedder.fromFolder(MINILM_TFJS, { backend, packages });
      } catch (error) {
        if (!isDentateError(error, "DENTATE_UNAVAILABLE")) throw error;
        reason = error.message;
      }
    });
    after(() => embedder?.close());

    const check = (what: string, run: (embedder: TfjsEmbedder) => Promise<void>) =>
      it(what, async (test: TestContext) => {
        if (embedder === undefined) return test.skip(reason);
        await run(embedder);
      });

    check("is what its folder says, and says where it runs", async (model) => {
      assert.match(model.id, /^all-MiniLM-L6-v2@[\da-f]{16}$/);
      assert.equal(model.dimensions, 384);
      assert.equal(model.maxTokens, 512);
      assert.match(model.device, new RegExp(`tfjs-(backend-)?${backend} \\d`));
    });

    check("knows what says the same from what does not", async (model) => {
      const [a, b, c] = await model.embed(["A dog runs.", "A dog is running.", "Nine eggs."]);
      assert.ok(cosine(a!, b!) > 0.9);
      assert.ok(cosine(a!, c!) < 0.4);
      for (const each of [a!, b!, c!]) assert.ok(Math.abs(cosine(each, each) - 1) < 1e-5);
    });
    if (isSlow) return;

    check("ranks pairs of sentences as people do", async (model) => {
      const a = await model.embed(PAIRS.map(([text]) => text));
      const b = await model.embed(PAIRS.map(([, text]) => text));
      const found = spearman(
        PAIRS.map(([, , score]) => score),
        a.map((vector, i) => cosine(vector, b[i]!)),
      );
      assert.ok(found >= 0.85, `Spearman ${found.toFixed(3)}`);
    });

    check("gives each text of a batch the vector that it has alone", async (model) => {
      const texts = [
        "short",
        "",
        "A longer one. ".repeat(30),
        "日本語、漢字",
        "half \ud83e a pair",
      ];
      const together = await model.embed(texts, DOCUMENT);
      for (const [i, text] of texts.entries()) {
        const [alone] = await model.embed([text], DOCUMENT);
        assert.ok(cosine(alone!, together[i]!) > 0.9999, text);
        assert.ok(Math.abs(cosine(alone!, alone!) - 1) < 1e-5, text);
      }
      assert.deepEqual(await model.embed([]), []);
    });

    check("takes as long a text as the model does", async (model) => {
      const [whole, cut] = await model.embed(["word ".repeat(2000), "word ".repeat(510)]);
      assert.ok(cosine(whole!, cut!) > 0.9999);
    });

    check("lets the event loop go on, and is aborted at once", async (model) => {
      const controller = new AbortController();
      const texts = Array.from({ length: 100 }, (_, i) => `${i} ${"a long text ".repeat(100)}`);
      const long = model.embed(texts, { ...DOCUMENT, signal: controller.signal });
      // This thread's own timer: it has a turn while the model's thread works.
      setTimeout(() => controller.abort("enough"), 30);
      await assert.rejects(
        long,
        (error) => isDentateError(error, "DENTATE_ABORTED") && error.cause === "enough",
      );
      assert.equal((await model.embed(["a question"], { kind: "query" })).length, 1);
    });
  });
}
