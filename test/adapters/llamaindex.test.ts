import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { BaseEmbedding } from "@llamaindex/core/embeddings";
import { createMemory, VectorMemoryBlock } from "@llamaindex/core/memory";
import { NodeRelationship, TextNode } from "@llamaindex/core/schema";
import { VectorStoreQueryMode } from "@llamaindex/core/vector-store";
import { DentateMemoryBlock, DentateVectorStore } from "../../src/adapters/llamaindex/index.js";
import { Memory } from "../../src/index.js";

/** Letters counted: near texts have near vectors, and no model is needed. */
class LetterEmbedding extends BaseEmbedding {
  // biome-ignore lint/complexity/noUselessConstructor: the one it has is protected
  constructor() {
    super();
  }

  override async getTextEmbedding(text: string): Promise<number[]> {
    const counts = new Array<number>(26).fill(0);
    for (const letter of text.toLowerCase()) {
      const i = letter.charCodeAt(0) - 97;
      if (i >= 0 && i < 26) counts[i]!++;
    }
    return counts;
  }
}

const embedModel = new LetterEmbedding();
const FACTS = ["Ana keeps bees on the roof", "Ben paints boats", "Cleo plays the cello"];

describe("LlamaIndex", () => {
  let memory: Memory;
  beforeEach(async () => {
    memory = await Memory.open({ inMemory: true });
  });
  afterEach(() => memory.close());

  it("moves what leaves its short-term memory into the block, and asks the block", async () => {
    const block = new DentateMemoryBlock({ memory, bank: "ana", recall: { budget: 80 } });
    const chat = createMemory({
      tokenLimit: 120,
      shortTermTokenLimitRatio: 0.3,
      memoryBlocks: [block],
    });
    await chat.add({ role: "user", content: FACTS[0]! });
    await chat.add({
      role: "assistant",
      content: "How many hives are there up on that roof of hers?",
    });
    for (let i = 0; i < 8; i++) {
      await chat.add({ role: "user", content: `Let us talk about train number ${i} instead now` });
      await chat.getLLM();
    }
    await chat.add({ role: "user", content: "Where does Ana keep bees?" });
    const messages = await chat.getLLM();
    const recalled = messages.find(({ role }) => role === "memory");
    assert.match(String(recalled?.content), /Ana keeps bees on the roof/);
    assert.ok((await memory.bank("ana").stats()).entries > 0);
  });

  it("serves its vector memory by text", async () => {
    const vectorStore = new DentateVectorStore({ memory, embedModel });
    const block = new VectorMemoryBlock({
      vectorStore,
      priority: 1,
      queryOptions: {
        similarityTopK: 1,
        mode: VectorStoreQueryMode.DEFAULT,
        sessionFilterKey: "s",
      },
    });
    await block.put(FACTS.map((content, i) => ({ id: `${i}`, role: "user", content })));
    const [found] = await block.get([{ id: "q", role: "user", content: "Who paints boats?" }]);
    assert.match(String(found?.content), /Ben paints boats/);
  });

  it("finds nodes by text, vector and filter, gives them back whole, and deletes documents", async () => {
    const store = new DentateVectorStore({ memory, embedModel });
    const nodes = FACTS.map(
      (text, n) =>
        new TextNode({
          text,
          metadata: { n, tags: n === 2 ? ["music", "wood"] : ["other"] },
          relationships: { [NodeRelationship.SOURCE]: { nodeId: `doc${n}`, metadata: {} } },
        }),
    );
    for (const node of nodes) node.embedding = await embedModel.getTextEmbedding(node.text);
    assert.deepEqual(
      await store.add(nodes),
      nodes.map(({ id_ }) => id_),
    );
    const mode = VectorStoreQueryMode.DEFAULT;
    const byText = await store.query({ queryStr: "Who paints?", similarityTopK: 1, mode });
    assert.deepEqual(byText.ids, [nodes[1]!.id_]);
    assert.equal((byText.nodes![0] as TextNode).text, FACTS[1]);
    assert.deepEqual(byText.nodes![0]!.metadata, nodes[1]!.metadata);
    const byVector = await store.query({
      queryEmbedding: await embedModel.getTextEmbedding(FACTS[2]!),
      similarityTopK: 1,
      mode,
    });
    assert.deepEqual(
      [byVector.ids[0], byVector.similarities[0]?.toFixed(4)],
      [nodes[2]!.id_, "1.0000"],
    );
    const filters = { filters: [{ key: "tags", operator: "contains" as const, value: "music" }] };
    const filtered = await store.query({
      queryStr: "Who paints or plays?",
      similarityTopK: 9,
      mode,
      filters,
    });
    assert.deepEqual(filtered.ids, [nodes[2]!.id_]);
    await store.delete("doc1");
    assert.equal((await memory.stats()).entries, 2);
  });
});
