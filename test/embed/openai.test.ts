import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { type OpenAiEmbedderOptions, openAiEmbedder } from "../../src/embed/index.js";
import { isDentateError, Memory } from "../../src/index.js";
import { gate } from "../lib/gate.js";
import {
  answerOf,
  type EmbeddingReply,
  type EmbeddingRequest,
  embeddingServer,
  vectorOf,
} from "./embedding-server.js";

const DIMENSIONS = 6;
type Server = Awaited<ReturnType<typeof embeddingServer>>;

async function withServer(
  reply: (request: EmbeddingRequest, number: number) => EmbeddingReply | Promise<EmbeddingReply>,
  options: Partial<OpenAiEmbedderOptions>,
  work: (embedder: Awaited<ReturnType<typeof openAiEmbedder>>, server: Server) => Promise<void>,
): Promise<void> {
  const server = await embeddingServer(DIMENSIONS, reply);
  try {
    const embedder = await openAiEmbedder({
      baseUrl: server.baseUrl,
      model: "m",
      dimensions: DIMENSIONS,
      retryDelay: 2,
      ...options,
    });
    await work(embedder, server);
  } finally {
    server.close();
  }
}

const right = () => ({});
const isUnavailable = (error: unknown) => isDentateError(error, "DENTATE_UNAVAILABLE");
/** The first `count` requests are answered with `reply`, the others rightly. */
const first = (count: number, reply: EmbeddingReply) => (_: EmbeddingRequest, number: number) =>
  number <= count ? reply : {};

describe("an embedder behind a service", () => {
  it("asks as the protocol wants it, and puts the answers in order", () =>
    withServer(
      right,
      { apiKey: "secret", headers: { "x-team": "t" } },
      async (embedder, server) => {
        const texts = ["one", "three", "a", "seventeen"];
        const found = await embedder.embed(texts);
        assert.deepEqual(
          found,
          texts.map((text) => vectorOf(text, DIMENSIONS)),
        );
        const [{ path, authorization, headers, body }] = server.requests as [EmbeddingRequest];
        assert.equal(path, "/v1/embeddings");
        assert.equal(authorization, "Bearer secret");
        assert.equal(headers["x-team"], "t");
        assert.deepEqual(body, {
          model: "m",
          input: texts,
          encoding_format: "base64",
          dimensions: DIMENSIONS,
        });
      },
    ));

  it("reads lists of numbers too", () =>
    withServer(right, { encodingFormat: "float" }, async (embedder, server) => {
      assert.deepEqual(await embedder.embed(["x"]), [vectorOf("x", DIMENSIONS)]);
      assert.equal(server.requests[0]!.body.encoding_format, "float");
    }));

  it("finds out how long vectors are where it isn't told", async () => {
    const server = await embeddingServer(11);
    try {
      const model = "nomic-embed-text:latest";
      const embedder = await openAiEmbedder({ baseUrl: `${server.baseUrl}/`, model });
      assert.equal(embedder.dimensions, 11);
      assert.equal(embedder.id, "nomic-embed-text@latest");
      assert.equal((await embedder.embed(["x"]))[0]!.length, 11);
      assert.equal(server.requests[0]!.body.dimensions, undefined);
      assert.equal(server.requests[0]!.authorization, undefined);
    } finally {
      server.close();
    }
  });

  it("sends batches by count and by tokens, some at a time", () => {
    const three = gate(3);
    return withServer(
      async () => {
        await three();
        return {};
      },
      { batchTexts: 8, batchTokens: 40, concurrency: 3 },
      async (embedder, server) => {
        const short = Array.from({ length: 20 }, (_, i) => `t${i}`);
        const long = Array.from({ length: 6 }, (_, i) => `${i}${" word".repeat(30)}`);
        const texts = [...short, ...long];
        const found = await embedder.embed(texts);
        assert.deepEqual(
          found,
          texts.map((text) => vectorOf(text, DIMENSIONS)),
        );
        const sizes = server.requests.map(({ body }) => body.input.length);
        assert.ok(Math.max(...sizes) <= 8);
        assert.equal(sizes.filter((size) => size === 1).length >= 5, true, sizes.join());
        assert.equal(server.mostOpen, 3);
      },
    );
  });

  it("cuts what is too long, and sends no empty text", () =>
    withServer(right, { maxTokens: 5 }, async (embedder, server) => {
      const [empty, cut] = await embedder.embed(["", "word word word word word word word"]);
      assert.deepEqual(empty, new Float32Array(DIMENSIONS));
      assert.deepEqual(cut, vectorOf("word word word word word", DIMENSIONS));
      assert.deepEqual(server.requests[0]!.body.input, ["word word word word word"]);
      assert.deepEqual(await embedder.embed([""]), [new Float32Array(DIMENSIONS)]);
      assert.deepEqual(await embedder.embed([]), []);
      assert.equal(server.requests.length, 1);
    }));

  it("puts a prefix before questions and documents", () =>
    withServer(right, { queryPrefix: "q: ", documentPrefix: "d: " }, async (embedder, server) => {
      await embedder.embed(["x"], { kind: "query" });
      await embedder.embed(["x"], { kind: "document" });
      assert.deepEqual(
        server.requests.map(({ body }) => body.input),
        [["q: x"], ["d: x"]],
      );
    }));

  for (const status of [408, 409, 429, 500, 502, 503]) {
    it(`asks again after ${status}`, () =>
      withServer(first(2, { status, body: "busy" }), {}, async (embedder, server) => {
        assert.equal((await embedder.embed(["x"])).length, 1);
        assert.equal(server.requests.length, 3);
      }));
  }

  it("asks again after a lost connection and half an answer", () =>
    withServer(first(2, { breaks: true }), {}, async (embedder, server) => {
      assert.equal((await embedder.embed(["x"])).length, 1);
      assert.equal(server.requests.length, 3);
    }));

  it("asks again after no answer in time", () =>
    withServer(
      first(1, { delayMs: 60_000 }),
      { timeout: 300, retries: 10 },
      async (embedder, server) => {
        assert.equal((await embedder.embed(["x"])).length, 1);
        // On a busy machine others may be late, too.
        assert.ok(server.requests.length >= 2);
      },
    ));

  it("waits as long as it is asked to", () =>
    withServer(
      first(1, { status: 429, headers: { "retry-after": "1" }, body: "{}" }),
      {},
      async (embedder, server) => {
        await embedder.embed(["x"]);
        const [a, b] = server.times as [number, number];
        assert.ok(b - a > 990, `${b - a} ms`);
      },
    ));

  it("does not wait for an hour", () =>
    withServer(
      () => ({ status: 429, headers: { "retry-after": "3600" }, body: "quota" }),
      {},
      async (embedder, server) => {
        await assert.rejects(embedder.embed(["x"]), isUnavailable);
        assert.equal(server.requests.length, 1);
      },
    ));

  it("gives up after so many tries, and says what came", () =>
    withServer(
      () => ({ status: 500, body: "out of order" }),
      { retries: 2, apiKey: "secret" },
      async (embedder, server) => {
        await assert.rejects(embedder.embed(["x"]), (error: Error) => {
          assert.ok(isUnavailable(error));
          assert.match(error.message, /status 500: out of order/);
          assert.doesNotMatch(error.message, /secret/);
          return true;
        });
        assert.equal(server.requests.length, 3);
      },
    ));

  for (const status of [400, 401, 403, 404, 422]) {
    it(`does not ask again after ${status}`, () =>
      withServer(
        () => ({ status, body: '{"error":"no"}' }),
        {},
        async (embedder, server) => {
          await assert.rejects(embedder.embed(["x"]), isUnavailable);
          assert.equal(server.requests.length, 1);
        },
      ));
  }

  for (const [what, reply] of [
    ["refuses it", { status: 401, body: '{"error":"no such key: sk-12345"}' }],
    ["answers with no JSON", { body: "key sk-12345" }],
  ] as const) {
    it(`does not tell the key, if the service names it and ${what}`, () =>
      withServer(
        () => reply,
        { apiKey: "sk-12345", retries: 0 },
        async (embedder) => {
          await assert.rejects(embedder.embed(["x"]), (error: Error) => {
            assert.ok(isUnavailable(error));
            assert.match(error.message, /key:? \*\*\*/);
            assert.doesNotMatch(inspect(error), /sk-12345/);
            return true;
          });
        },
      ));
  }

  const shortened = (request: EmbeddingRequest) => {
    const { data } = JSON.parse(answerOf(request, DIMENSIONS)) as { data: object[] };
    return data;
  };
  const wrong: Record<string, (request: EmbeddingRequest) => string> = {
    "too few": (request) => JSON.stringify({ data: shortened(request).slice(1) }),
    "one twice": (request) =>
      JSON.stringify({ data: shortened(request).map((item) => ({ ...item, index: 0 })) }),
    "an index that is none": (request) =>
      JSON.stringify({ data: shortened(request).map((item) => ({ ...item, index: -1 })) }),
    "vectors of another length": (request) => answerOf(request, DIMENSIONS + 1),
    "half of a float": () =>
      JSON.stringify({ data: [0, 1].map((index) => ({ index, embedding: "AAAA" })) }),
    "what is no number": () =>
      JSON.stringify({ data: [0, 1].map((index) => ({ index, embedding: [1, null] })) }),
    "nothing of the kind": () => JSON.stringify({ vectors: [] }),
    null: () => "null",
  };
  for (const [name, body] of Object.entries(wrong)) {
    it(`does not take ${name} for vectors`, () =>
      withServer(
        (request) => ({ body: body(request) }),
        {},
        async (embedder, server) => {
          await assert.rejects(embedder.embed(["x", "yy"]), isUnavailable);
          assert.equal(server.requests.length, 1);
        },
      ));
  }

  it("asks again where what comes is no JSON", () =>
    withServer(first(1, { body: "<html>gateway" }), {}, async (embedder) => {
      assert.equal((await embedder.embed(["x"])).length, 1);
    }));

  it("is aborted at once, in a request and between two", () =>
    withServer(
      (_, number) => (number % 2 === 1 ? { delayMs: 60_000 } : { status: 500, body: "" }),
      { retryDelay: 60_000 },
      async (embedder) => {
        for (let i = 0; i < 2; i++) {
          const aborted = embedder.embed(["x"], {
            kind: "query",
            signal: AbortSignal.timeout(40),
          });
          await assert.rejects(aborted, (error) => isDentateError(error, "DENTATE_ABORTED"));
        }
        const late = embedder.embed(["x"], { kind: "query", signal: AbortSignal.abort() });
        await assert.rejects(late, (error) => isDentateError(error, "DENTATE_ABORTED"));
      },
    ));

  it("stops the other batches where one fails", () =>
    withServer(
      ({ body }) => (body.input.includes("bad") ? { status: 400, body: "" } : { delayMs: 20 }),
      { batchTexts: 1, concurrency: 2 },
      async (embedder, server) => {
        const texts = ["bad", ...Array.from({ length: 30 }, (_, i) => `t${i}`)];
        await assert.rejects(embedder.embed(texts), isUnavailable);
        await new Promise((resolve) => setTimeout(resolve, 60));
        assert.ok(server.requests.length < 6, `${server.requests.length} requests`);
      },
    ));

  it("says that nobody answers", async () => {
    const server = await embeddingServer(2);
    server.close();
    const { baseUrl } = server;
    await assert.rejects(openAiEmbedder({ baseUrl, model: "m", retries: 0 }), isUnavailable);
  });

  it("says what is wrong with its options", async () => {
    const of = (options: object) => openAiEmbedder({ model: "m", dimensions: 3, ...options });
    for (const [options, kind] of [
      [{ baseUrl: "ftp://x" }, RangeError],
      [{ baseUrl: 7 }, TypeError],
      [{ model: "" }, RangeError],
      [{ dimensions: 0 }, RangeError],
      [{ retries: -1 }, RangeError],
      [{ headers: [] }, TypeError],
      [{ headers: { a: 1 } }, TypeError],
      [{ encodingFormat: "int8" }, RangeError],
      [{ modle: "m" }, TypeError],
    ] as const) {
      await assert.rejects(of(options), kind, JSON.stringify(options));
    }
  });

  it("embeds what a memory holds", () =>
    withServer(right, {}, async (embedder) => {
      await using memory = await Memory.open({ inMemory: true, embedder });
      await memory.addMany(
        Array.from({ length: 12 }, (_, i) => ({ role: "user" as const, content: `Turn ${i}` })),
      );
      await memory.indexed();
      const { items } = await memory.recall("Turn 3?", { strategy: "budget-rag", budget: 100 });
      assert.ok(items.length > 0);
      assert.ok((await memory.stats()).chunks >= 2);
    }));
});
