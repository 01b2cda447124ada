import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { mastraVector, memoryProcessor } from "../../src/adapters/mastra/index.js";
import { Memory } from "../../src/index.js";
import { requirePeer, whyNot } from "./peer.js";

/** What these tests use of @mastra/core 0.24.9, as its own types have it. */
interface Vector {
  createIndex(params: object): Promise<void>;
  listIndexes(): Promise<string[]>;
  describeIndex(params: object): Promise<object>;
  deleteIndex(params: object): Promise<void>;
  upsert(params: object): Promise<string[]>;
  query(
    params: object,
  ): Promise<{ id: string; score: number; metadata: object; vector?: number[] }[]>;
  updateVector(params: object): Promise<void>;
  deleteVector(params: object): Promise<void>;
  deleteVectors(params: object): Promise<void>;
}
type Vectors = { MastraVector: abstract new () => Vector };
type Core = { Mastra: new (options: object) => { getVector(name: string): Vector } };
type Agents = {
  Agent: new (options: object) => { generate(text: string): Promise<{ text: string }> };
};

describe("Mastra", { skip: whyNot ?? false }, () => {
  let memory: Memory;
  beforeEach(async () => {
    memory = await Memory.open({ inMemory: true });
  });
  afterEach(() => memory.close());

  it("gives an agent what it remembers, within a budget", async () => {
    const { Agent } = requirePeer("@mastra/core/agent") as Agents;
    const bank = memory.bank("ana");
    await bank.add({ role: "user", content: "Ana keeps bees on the roof" });
    for (let i = 0; i < 50; i++)
      await bank.add({ role: "user", content: `The train ${i} was late` });
    await memory.bank("ben").add({ role: "user", content: "Ben keeps bees in the cellar" });
    const prompts: string[] = [];
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const model = {
      specificationVersion: "v2",
      provider: "stub",
      modelId: "stub",
      supportedUrls: {},
      doGenerate({ prompt }: { prompt: unknown }) {
        prompts.push(JSON.stringify(prompt));
        const content = [{ type: "text", text: "On the roof" }];
        return Promise.resolve({ content, finishReason: "stop", usage, warnings: [] });
      },
    };
    const agent = new Agent({
      name: "a",
      instructions: "Help",
      model,
      inputProcessors: [memoryProcessor({ memory, bank: "ana", recall: { budget: 60 } })],
    });
    const { text } = await agent.generate("Where does Ana keep bees?");
    assert.equal(text, "On the roof");
    const [prompt] = prompts as [string];
    assert.ok(prompt.indexOf("bees on the roof") < prompt.indexOf("Where does Ana keep bees?"));
    assert.match(prompt, /bees on the roof/);
    assert.doesNotMatch(prompt, /cellar/);
    assert.ok((prompt.match(/The train/g) ?? []).length < 10);
  });

  it("keeps, finds, changes and deletes vectors", async () => {
    const { MastraVector } = requirePeer("@mastra/core/vector") as Vectors;
    const { Mastra } = requirePeer("@mastra/core") as Core;
    const made = mastraVector(MastraVector, { memory });
    assert.ok(made instanceof MastraVector);
    const store = new Mastra({ vectors: { dentate: made }, logger: false }).getVector("dentate");
    const indexName = "docs";
    await store.createIndex({ indexName, dimension: 2 });
    await store.createIndex({ indexName, dimension: 2 });
    await assert.rejects(store.createIndex({ indexName, dimension: 3 }), RangeError);
    const ids = await store.upsert({
      indexName,
      vectors: [
        [1, 0],
        [1, 1],
        [0, 1],
      ],
      metadata: [
        { text: "bees", user: "ana", n: 1 },
        { text: "boats", user: "ben", n: 2 },
        { text: "hens", user: "ana", n: 3, tags: ["a", "b"] },
      ],
    });
    const query = async (filter?: object, topK = 10) =>
      (await store.query({ indexName, queryVector: [1, 0], topK, filter })).map(({ id }) =>
        ids.indexOf(id),
      );
    assert.deepEqual(await query(), [0, 1, 2]);
    assert.deepEqual(await query({ user: "ben" }, 1), [1]);
    assert.deepEqual(await query({ $or: [{ n: { $gte: 3 } }, { user: "ben" }] }), [1, 2]);
    assert.deepEqual(await query({ $not: { user: "ana" } }), [1]);
    assert.deepEqual(await query({ tags: { $all: ["a", "b"] } }), [2]);
    assert.deepEqual(await query({ tags: { $exists: false }, n: { $nin: [1] } }), [1]);
    assert.deepEqual(await query({ $nor: [{ n: { $lt: 2 } }, { n: { $ne: 2 } }] }), [1]);
    for (const filter of [
      { text: { $regex: "a" } },
      { $where: 1 },
      { user: undefined },
      { n: {} },
    ]) {
      await assert.rejects(query(filter), TypeError);
    }
    assert.deepEqual(await store.describeIndex({ indexName }), {
      dimension: 2,
      metric: "cosine",
      count: 3,
    });

    await store.updateVector({ indexName, id: ids[0], update: { metadata: { n: 9 } } });
    const filter = { n: 9 };
    const [first] = await store.query({
      indexName,
      queryVector: [2, 0],
      filter,
      includeVector: true,
    });
    assert.deepEqual(first, {
      id: ids[0],
      score: 1,
      metadata: { text: "bees", user: "ana", n: 9 },
      vector: [1, 0],
    });
    await assert.rejects(store.deleteVectors({ indexName }), TypeError);
    await assert.rejects(store.deleteVectors({ indexName, filter: {} }), TypeError);
    await store.deleteVector({ indexName, id: ids[1] });
    await store.deleteVectors({ indexName, filter: { user: "ana", n: 3 } });
    assert.deepEqual(await query(), [0]);
    assert.match((await memory.bank("mastra/docs").recall("bees", { budget: 50 })).text, /bees/);
    await store.deleteIndex({ indexName });
    assert.deepEqual(await store.listIndexes(), []);
  });

  it("measures by inner product and Euclidean distance", async () => {
    const { MastraVector } = requirePeer("@mastra/core/vector") as Vectors;
    const store = mastraVector(MastraVector, { memory });
    for (const [metric, score] of [
      ["dotproduct", 6],
      ["euclidean", -1],
    ]) {
      const indexName = String(metric);
      await store.createIndex({ indexName, dimension: 1, metric });
      await store.upsert({ indexName, vectors: [[3]], ids: ["x"] });
      const [found] = await store.query({ indexName, queryVector: [2] });
      assert.equal(found?.score, score);
    }
  });
});
