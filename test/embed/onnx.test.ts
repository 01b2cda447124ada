import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { after, before, describe, it } from "node:test";
import { OnnxEmbedder } from "../../src/embed/index.js";
import { isDentateError } from "../../src/index.js";
import { MINILM, WITHOUT_MINILM } from "./minilm.js";
import { PAIRS, spearman } from "./similar-sentences.js";

const QUESTION = { kind: "query" } as const;
const DOCUMENT = { kind: "document" } as const;
const A_TEXTS = PAIRS.map(([text]) => text);
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);

describe("all-MiniLM-L6-v2 through onnx", { skip: WITHOUT_MINILM }, () => {
  let embedder: OnnxEmbedder;
  before(async () => {
    embedder = await OnnxEmbedder.fromFolder(MINILM);
  });
  after(() => embedder.close());

  it("is what its folder says", () => {
    assert.match(embedder.id, /^all-MiniLM-L6-v2-ONNX@[\da-f]{16}$/);
    assert.equal(embedder.dimensions, 384);
    assert.equal(embedder.pooling, "mean");
    assert.equal(embedder.maxTokens, 512);
  });

  it("ranks pairs of sentences as people do", async () => {
    const a = await embedder.embed(PAIRS.map(([text]) => text));
    const b = await embedder.embed(PAIRS.map(([, text]) => text));
    const found = spearman(
      PAIRS.map(([, , score]) => score),
      a.map((vector, i) => cosine(vector, b[i]!)),
    );
    assert.ok(found >= 0.85, `Spearman ${found.toFixed(3)}`);
  });

  it("gives each text of a batch the vector that it has alone, of unit length", async () => {
    const texts = ["short", ...A_TEXTS, "A longer one. ".repeat(40), ""];
    const together = await embedder.embed(texts, DOCUMENT);
    for (const [i, text] of texts.entries()) {
      const [alone] = await embedder.embed([text], DOCUMENT);
      assert.ok(cosine(alone!, together[i]!) > 0.999, text);
      assert.ok(Math.abs(cosine(alone!, alone!) - 1) < 1e-5, text);
    }
  });

  it("answers in the order of the texts, several calls at a time", async () => {
    const calls = Array.from({ length: 8 }, (_, call) =>
      Array.from(
        { length: 5 },
        (_, i) => `Text ${call} ${i} ${"and more ".repeat((call * i) % 7)}`,
      ),
    );
    const found = await Promise.all(calls.map((texts) => embedder.embed(texts)));
    const [expected] = [await embedder.embed(calls.flat())];
    for (const [i, vector] of found.flat().entries()) {
      assert.ok(cosine(vector, expected[i]!) > 0.999);
    }
  });

  it("takes the end off a text that is too long, and not its closing token", async () => {
    const long = "word ".repeat(2000);
    const [whole, cut, other] = await embedder.embed([
      long,
      "word ".repeat(510),
      "word ".repeat(100),
    ]);
    assert.ok(cosine(whole!, cut!) > 0.99999);
    assert.ok(cosine(whole!, other!) < 0.99999);
  });

  it("embeds any text", async () => {
    const texts = [
      "",
      " \n\t ",
      "x".repeat(10_000),
      "The quick brown fox jumps over the lazy dog. ".repeat(230),
      "日本語のテキスト、漢字とかな",
      "한국어 문장입니다",
      "Привет, как дела?",
      "مرحبا بالعالم",
      "שלום עולם",
      "สวัสดีชาวโลก",
      "नमस्ते दुनिया",
      "Γειά σου Κόσμε",
      "🦣🧠 emoji 👩‍👩‍👧‍👦",
      "half a pair \ud83e of surrogates \udde0",
      "\u0000\u0001 control \u200b zero width",
      "[CLS] [SEP] [MASK] [PAD] [UNK]",
    ];
    const vectors = await embedder.embed(texts);
    assert.equal(vectors.length, texts.length);
    for (const [i, vector] of vectors.entries()) {
      assert.equal(vector.length, 384);
      assert.ok(Math.abs(cosine(vector, vector) - 1) < 1e-5, texts[i]);
    }
    assert.deepEqual(await embedder.embed([]), []);
  });

  it("lets the event loop go on", async () => {
    const before = performance.eventLoopUtilization();
    await embedder.embed(
      Array.from({ length: 16 }, (_, i) => `${i} ${"a longer text ".repeat(60)}`),
    );
    const { utilization } = performance.eventLoopUtilization(before);
    assert.ok(utilization < 0.5, `busy for ${utilization} of the time`);
  });

  it("is aborted at once, and goes on with others", async () => {
    const controller = new AbortController();
    const texts = Array.from({ length: 200 }, (_, i) => `${i} ${"a long text ".repeat(150)}`);
    const long = embedder.embed(texts, { ...DOCUMENT, signal: controller.signal });
    setTimeout(() => controller.abort("enough"), 30);
    await assert.rejects(
      long,
      (error) => isDentateError(error, "DENTATE_ABORTED") && error.cause === "enough",
    );
    assert.equal((await embedder.embed(["a question"], QUESTION)).length, 1);
    const late = embedder.embed(["x"], { ...QUESTION, signal: AbortSignal.abort() });
    await assert.rejects(late, (error) => isDentateError(error, "DENTATE_ABORTED"));
  });

  it("answers a question before documents that came earlier", async () => {
    const order: string[] = [];
    const texts = Array.from({ length: 60 }, (_, i) => `${i} ${"a long text ".repeat(100 + i)}`);
    const documents = embedder.embed(texts, DOCUMENT).then(() => order.push("documents"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await embedder.embed(["a question"], QUESTION).then(() => order.push("question"));
    await documents;
    assert.deepEqual(order, ["question", "documents"]);
  });
});

describe("an ONNX model, run otherwise", { skip: WITHOUT_MINILM }, () => {
  const TEXT = "The ship left the harbour at dawn.";
  async function vectorOf(
    options: Parameters<typeof OnnxEmbedder.fromFolder>[1],
    text = TEXT,
    kind: "query" | "document" = "document",
  ) {
    await using embedder = await OnnxEmbedder.fromFolder(MINILM, options);
    const [vector] = await embedder.embed([text], { kind });
    return { vector: vector!, id: embedder.id };
  }

  it("pools as it is told", async () => {
    const [mean, cls, last] = [
      await vectorOf({}),
      await vectorOf({ pooling: "cls" }),
      await vectorOf({ pooling: "last" }),
    ];
    for (const [a, b] of [
      [mean, cls],
      [mean, last],
      [cls, last],
    ] as const) {
      assert.ok(cosine(a.vector, b.vector) < 0.98);
      assert.ok(cosine(a.vector, b.vector) > 0.2);
    }
  });

  it("puts a prefix before what is asked, or what is held", async () => {
    const prefixed = { queryPrefix: "query: ", documentPrefix: "passage: " };
    const asked = await vectorOf(prefixed, TEXT, "query");
    const held = await vectorOf(prefixed, TEXT, "document");
    assert.deepEqual(asked.vector, (await vectorOf({}, `query: ${TEXT}`)).vector);
    assert.deepEqual(held.vector, (await vectorOf({}, `passage: ${TEXT}`)).vector);
    assert.notEqual(asked.id, (await vectorOf({})).id);
  });

  it("knows what BGE and e5 want by their names", async () => {
    const bge = { name: "bge-small-en-v1.5" };
    const asked = await vectorOf(bge, TEXT, "query");
    const prefix = "Represent this sentence for searching relevant passages: ";
    const same = await vectorOf({ pooling: "cls" }, prefix + TEXT);
    assert.deepEqual(asked.vector, same.vector);
    assert.deepEqual(
      (await vectorOf(bge, TEXT, "document")).vector,
      (await vectorOf({ pooling: "cls" })).vector,
    );
    const e5 = await vectorOf({ name: "multilingual-e5-small" }, TEXT, "document");
    assert.deepEqual(e5.vector, (await vectorOf({}, `passage: ${TEXT}`)).vector);
  });

  it("leaves vectors as long as they are, where they shall be so", async () => {
    const { vector } = await vectorOf({ normalize: false });
    const length = Math.sqrt(cosine(vector, vector));
    assert.ok(Math.abs(length - 1) > 0.1, `${length}`);
    assert.ok(cosine(vector, (await vectorOf({})).vector) / length > 0.99999);
  });

  it("cuts where it is told to", async () => {
    const { vector } = await vectorOf({ maxTokens: 8 }, "word ".repeat(100));
    assert.ok(cosine(vector, (await vectorOf({}, "word ".repeat(6))).vector) > 0.9999);
  });

  it("runs on several threads, in small batches", async () => {
    await using embedder = await OnnxEmbedder.fromFolder(MINILM, { threads: 2, batchTokens: 64 });
    const texts = Array.from({ length: 40 }, (_, i) => `Text ${i} ${"and more ".repeat(i % 5)}`);
    const vectors = await embedder.embed(texts);
    await using other = await OnnxEmbedder.fromFolder(MINILM);
    for (const [i, vector] of (await other.embed(texts)).entries()) {
      assert.ok(cosine(vector, vectors[i]!) > 0.999);
    }
  });

  it("is closed once, and for good", async () => {
    const embedder = await OnnxEmbedder.fromFolder(MINILM);
    const waiting = embedder.embed(Array.from({ length: 200 }, () => "a long text ".repeat(150)));
    const rejected = assert.rejects(waiting, (error) => isDentateError(error, "DENTATE_CLOSED"));
    await embedder.close();
    await rejected;
    await embedder.close();
    await assert.rejects(embedder.embed([TEXT]), (error) =>
      isDentateError(error, "DENTATE_CLOSED"),
    );
  });
});
