import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, before, beforeEach, describe, it } from "node:test";
import { DentateQdrant, type QdrantFilter } from "../../src/adapters/mem0/index.js";
import { Memory } from "../../src/index.js";
import { requirePeer, whyNot } from "./peer.js";

process.env["MEM0_TELEMETRY"] = "false";

/** What these tests use of mem0ai/oss 3.3.1, as its own types have it. */
interface Mem0 {
  add(text: string, options: object): Promise<{ results: Mem[] }>;
  search(query: string, options: object): Promise<{ results: Mem[] }>;
  get(id: string): Promise<Mem | null>;
  getAll(options: object): Promise<{ results: Mem[] }>;
  update(id: string, options: object): Promise<object>;
  delete(id: string): Promise<object>;
  deleteAll(options: object): Promise<object>;
  history(id: string): Promise<object[]>;
  reset(): Promise<void>;
}
interface Mem {
  readonly id: string;
  readonly memory: string;
  readonly score?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const SIZE = 26;
const COLLECTION = "memories";

/** Letters counted: near texts have near vectors, and no model is needed. */
function embed(text: string): number[] {
  const counts = new Array<number>(SIZE).fill(0.01);
  for (const letter of text.toLowerCase()) {
    const i = letter.charCodeAt(0) - 97;
    if (i >= 0 && i < SIZE) counts[i]!++;
  }
  return counts;
}

/** OpenAI's /embeddings, for as long as the tests run. */
async function startEmbeddings(): Promise<Server> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    const { input } = JSON.parse(body) as { input: string | string[] };
    const data = [input].flat().map((text, index) => ({ index, embedding: embed(text) }));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ object: "list", data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return server;
}

describe("mem0ai's own memory on Dentate", { skip: whyNot ?? false }, () => {
  let server: Server;
  let memory: Memory;
  let mem0: Mem0;

  const openMem0 = (client: DentateQdrant) => {
    const { Memory: Mem0Memory } = requirePeer("mem0ai/oss") as { Memory: new (c: object) => Mem0 };
    const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new Mem0Memory({
      embedder: { provider: "openai", config: { apiKey: "none", baseURL, embeddingDims: SIZE } },
      llm: { provider: "openai", config: { apiKey: "none", baseURL } },
      vectorStore: {
        provider: "qdrant",
        config: { client, collectionName: COLLECTION, dimension: SIZE },
      },
      historyStore: { provider: "memory", config: {} },
    });
  };
  const texts = ({ results }: { results: Mem[] }) => results.map(({ memory: text }) => text).sort();
  const of = (user: string) => ({ filters: { user_id: user }, topK: 1000 });
  const add = (text: string, userId: string, metadata = {}) =>
    mem0.add(text, { userId, infer: false, metadata });

  before(async () => {
    server = await startEmbeddings();
  });
  beforeEach(async () => {
    memory = await Memory.open({ inMemory: true });
    mem0 = openMem0(new DentateQdrant({ memory }));
  });
  afterEach(() => memory.close());

  it("adds, finds, reads, changes and deletes, each user's for itself", async () => {
    const { results } = await add("Ana keeps bees on the roof", "ana", { topic: "bees", n: 3 });
    await add("Ana paints boats", "ana", { topic: "boats", n: 5 });
    await add("Ben keeps bees in the garden", "ben", { topic: "bees", n: 4 });
    const [{ id }] = results as [Mem];

    const found = await mem0.search("Who keeps bees?", { ...of("ana"), threshold: 0 });
    assert.equal(found.results[0]?.memory, "Ana keeps bees on the roof");
    assert.deepEqual(texts(found), ["Ana keeps bees on the roof", "Ana paints boats"]);
    assert.ok(found.results.every(({ score }) => score! > 0 && score! <= 1));
    assert.deepEqual(texts(await mem0.search("bees", { ...of("cleo"), threshold: 0 })), []);
    assert.deepEqual(texts(await mem0.getAll(of("ben"))), ["Ben keeps bees in the garden"]);
    assert.equal((await mem0.get(id))?.metadata?.["topic"], "bees");

    await mem0.update(id, { text: "Ana keeps hens now" });
    assert.equal((await mem0.get(id))?.memory, "Ana keeps hens now");
    assert.deepEqual(texts(await mem0.getAll(of("ana"))), [
      "Ana keeps hens now",
      "Ana paints boats",
    ]);
    assert.deepEqual(
      (await mem0.history(id)).map((change) => (change as { action: string }).action).sort(),
      ["ADD", "UPDATE"],
    );

    await mem0.delete(id);
    assert.equal(await mem0.get(id), null);
    assert.deepEqual(texts(await mem0.search("hens", { ...of("ana"), threshold: 0 })), [
      "Ana paints boats",
    ]);
    await mem0.deleteAll({ userId: "ana" });
    assert.deepEqual(texts(await mem0.getAll(of("ana"))), []);
    assert.deepEqual(texts(await mem0.getAll(of("ben"))), ["Ben keeps bees in the garden"]);
    const { text } = await memory.bank(`mem0/${COLLECTION}`).recall("bees", { budget: 200 });
    assert.ok(text.includes("Ben keeps bees") && !text.includes("Ana"));
  });

  it("filters by mem0's operators before ranking", async () => {
    for (let n = 0; n < 8; n++) await add(`Fact number ${n}`, "ana", { n, kind: `k${n % 2}` });
    await add("Fact of Ben's", "ben", { n: 3, kind: "k1" });
    const search = async (filters: object, topK = 100) => {
      const options = { filters: { user_id: "ana", ...filters }, threshold: 0, topK };
      return (await mem0.search("fact", options)).results.map(({ metadata }) => metadata?.["n"]);
    };
    assert.deepEqual((await search({ n: { gte: 6 } })).sort(), [6, 7]);
    assert.deepEqual((await search({ n: { in: [1, 3] } })).sort(), [1, 3]);
    assert.deepEqual((await search({ kind: { ne: "k0" } })).sort(), [1, 3, 5, 7]);
    assert.deepEqual((await search({ kind: "k1", n: { lt: 4 } })).sort(), [1, 3]);
    assert.deepEqual(await search({ n: { gte: 7 } }, 1), [7]);
  });

  it("deletes all of a user, however many there are, and nothing of others", async () => {
    const client = new DentateQdrant({ memory });
    const points = Array.from({ length: 250 }, (_, i) => ({
      id: `p${i}`,
      vector: embed(`note ${i}`),
      payload: { data: `Note ${i}`, user_id: i % 5 === 0 ? "ben" : "ana" },
    }));
    await mem0.getAll(of("ana"));
    await client.upsert(COLLECTION, { points });
    await mem0.deleteAll({ userId: "ana" });
    assert.equal((await mem0.getAll(of("ana"))).results.length, 0);
    assert.equal((await mem0.getAll(of("ben"))).results.length, 50);
    assert.equal((await client.getCollection(COLLECTION)).points_count, 50);
  });

  it("keeps what a second client finds again, and forgets it with reset", async () => {
    await add("Ana keeps bees", "ana");
    const again = openMem0(new DentateQdrant({ memory }));
    assert.deepEqual(texts(await again.getAll(of("ana"))), ["Ana keeps bees"]);
    // Each sees what the other writes.
    const { results } = await again.add("Ana sails", { userId: "ana", infer: false });
    assert.deepEqual(texts(await mem0.getAll(of("ana"))), ["Ana keeps bees", "Ana sails"]);
    await again.delete(results[0]!.id);
    assert.deepEqual(texts(await mem0.getAll(of("ana"))), ["Ana keeps bees"]);
    await mem0.reset();
    assert.deepEqual(texts(await mem0.getAll(of("ana"))), []);
  });
});

describe("DentateQdrant", () => {
  let memory: Memory;
  let client: DentateQdrant;
  beforeEach(async () => {
    memory = await Memory.open({ inMemory: true });
    client = new DentateQdrant({ memory });
    await client.createCollection("c", { vectors: { size: 2, distance: "Cosine" } });
  });
  afterEach(() => memory.close());

  it("answers with Qdrant's status codes", async () => {
    const vectors = { size: 2, distance: "Cosine" };
    await assert.rejects(client.createCollection("c", { vectors }), { status: 409 });
    await assert.rejects(client.getCollection("other"), { status: 404 });
    await assert.rejects(client.search("c", { vector: [1] }), { status: 400 });
    const dot = { vectors: { size: 2, distance: "Dot" } };
    await assert.rejects(client.createCollection("d", dot), { status: 400 });
    assert.deepEqual(await client.getCollections(), { collections: [{ name: "c" }] });
    assert.equal(await client.deleteCollection("c"), true);
    assert.deepEqual(await client.collectionExists("c"), { exists: false });
  });

  it("ranks by cosine, pages, replaces by id, and gives payloads back whole", async () => {
    const long = {
      data: "x ".repeat(40_000),
      list: Array.from({ length: 3000 }, (_, i) => `i${i}`),
    };
    const points = [
      { id: 1, vector: [1, 0], payload: { a: { b: 1 }, tags: ["x", "y"] } },
      { id: "two", vector: [1, 1], payload: long },
      { id: 3, vector: [0, 2] },
    ];
    await client.upsert("c", { points });
    const found = await client.search("c", { vector: [0, 1], limit: 2, with_vector: true });
    assert.deepEqual(
      found.map(({ id, score, vector }) => [id, score.toFixed(3), vector]),
      [
        [3, "1.000", [0, 2]],
        ["two", "0.707", [1, 1]],
      ],
    );
    assert.deepEqual((await client.retrieve("c", { ids: ["two", 9] }))[0]?.payload, long);
    const page = await client.scroll("c", { limit: 2 });
    assert.deepEqual([page.points.map(({ id }) => id), page.next_page_offset], [[1, "two"], 3]);
    const rest = await client.scroll("c", { limit: 2, offset: page.next_page_offset });
    assert.deepEqual([rest.points.map(({ id }) => id), rest.next_page_offset], [[3], null]);
    await client.upsert("c", { points: [{ id: 3, vector: [1, 0], payload: { n: 1 } }] });
    assert.equal((await client.getCollection("c")).points_count, 3);
    assert.deepEqual((await client.retrieve("c", { ids: [3] }))[0]?.payload, { n: 1 });
  });

  it("selects by must, should, must_not, and refuses what it does not know", async () => {
    const points = Array.from({ length: 6 }, (_, n) => ({
      id: n,
      vector: [1, n],
      payload: { n, a: { b: `v${n % 2}` }, text: n === 4 ? "Green Tea" : "coffee" },
    }));
    await client.upsert("c", { points });
    const select = async (filter: QdrantFilter) =>
      (await client.scroll("c", { filter, limit: 100 })).points.map(({ id }) => id);
    const odd = { key: "a.b", match: { value: "v1" } };
    assert.deepEqual(await select({ must: [odd, { key: "n", range: { gt: 1 } }] }), [3, 5]);
    assert.deepEqual(
      await select({ should: [odd, { key: "text", match: { text: "tea" } }] }),
      [1, 3, 4, 5],
    );
    assert.deepEqual(await select({ must_not: [odd, { has_id: [0] }] }), [2, 4]);
    assert.deepEqual(
      await select({ must: { must_not: { key: "n", match: { any: [0, 1, 2] } } } }),
      [3, 4, 5],
    );
    assert.deepEqual(await select({ must: { key: "absent", match: { except: ["x"] } } }), []);
    assert.deepEqual(await select({ must: { is_empty: { key: "absent" } } }), [0, 1, 2, 3, 4, 5]);
    for (const filter of [
      { most: [] },
      { must: [{ key: "n", values_count: {} }] },
      { must: [1] },
    ]) {
      await assert.rejects(select(filter as QdrantFilter), TypeError);
    }
    await assert.rejects(client.delete("c", {}), TypeError);
    await client.delete("c", { filter: { must: odd } });
    assert.deepEqual(await select({}), [0, 2, 4]);
  });
});
