import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requirePeer } from "../lib/peers.js";
import { referenceLine } from "./bm25-reference.js";
import { meanVector } from "./chunks.js";
import type { Conversation, LabelledTurn } from "./dataset.js";
import { packedRanker } from "./packed-ranker.js";
import type { Strategy } from "./strategy.js";

/**
 * Memory engines of others, each through its own public API. All embed with the table that Dentate
 * embeds with, so that engines are compared and not models, and nothing is fetched. What they find is
 * packed by Dentate's packer within the budget, since none of them packs to one.
 */
export const ENGINES = ["mem0", "langchain", "mastra"] as const;
export type EngineName = (typeof ENGINES)[number];

/** How many turns are asked for: more than the largest budget of a bench has room for. */
const MOST_FOUND = 160;

interface Engine {
  add(turn: LabelledTurn, index: number): Promise<void>;
  /** Indexes of turns, best first. */
  search(question: string): Promise<number[]>;
  /** See {@link Ranker.lastMs}. */
  readonly lastMs?: number | undefined;
  close(): Promise<void>;
}

const OPENERS: Readonly<Record<EngineName, (conversation: Conversation) => Promise<Engine>>> = {
  mem0: openMem0,
  langchain: openLangChain,
  mastra: openMastra,
};

export function peerEngine(name: EngineName): Strategy {
  return packedRanker(name, async (conversation) => {
    const engine = await OPENERS[name](conversation);
    const addMs: number[] = [];
    return {
      addMs,
      async addUpTo(count) {
        for (let index = addMs.length; index < count; index++) {
          const start = performance.now();
          await engine.add(conversation.turns[index]!, index);
          addMs.push(performance.now() - start);
        }
      },
      rank: (question) => engine.search(question),
      get lastMs() {
        return engine.lastMs;
      },
      close: () => engine.close(),
    };
  });
}

/** A text of no known word still needs a vector: one that is like no other. */
function embed(text: string): number[] {
  const vector = meanVector(text);
  return vector === undefined ? [1e-6, ...Array(DIMENSIONS - 1).fill(0)] : Array.from(vector);
}

const DIMENSIONS = 192;

interface LangChain {
  readonly Embeddings: new (options: object) => object;
  readonly MemoryVectorStore: new (
    embeddings: object,
  ) => {
    addDocuments(documents: readonly LangChainDocument[]): Promise<void>;
    similaritySearch(query: string, k: number): Promise<LangChainDocument[]>;
  };
}

interface LangChainDocument {
  readonly pageContent: string;
  readonly metadata: { readonly turn: number };
}

function langChainEmbeddings(): object {
  const { Embeddings } = requirePeer("@langchain/core/embeddings", "engines") as LangChain;
  class Distilled extends Embeddings {
    async embedDocuments(texts: readonly string[]): Promise<number[][]> {
      return texts.map(embed);
    }
    async embedQuery(text: string): Promise<number[]> {
      return embed(text);
    }
  }
  return new Distilled({});
}

async function openLangChain(): Promise<Engine> {
  const { MemoryVectorStore } = requirePeer(
    "@langchain/classic/vectorstores/memory",
    "engines",
  ) as LangChain;
  const store = new MemoryVectorStore(langChainEmbeddings());
  return {
    add: (turn, index) =>
      store.addDocuments([{ pageContent: referenceLine(turn), metadata: { turn: index } }]),
    async search(question) {
      const found = await store.similaritySearch(question, MOST_FOUND);
      return found.map(({ metadata }) => metadata.turn);
    },
    async close() {},
  };
}

interface Mem0 {
  readonly Memory: new (
    config: object,
  ) => {
    add(text: string, options: object): Promise<unknown>;
    search(
      query: string,
      options: object,
    ): Promise<{ results: readonly { metadata: { turn: number } }[] }>;
  };
}

/** `infer: false`: the turns as they are, without a language model; telemetry is off. */
async function openMem0({ id }: Conversation): Promise<Engine> {
  process.env["MEM0_TELEMETRY"] = "false";
  const { Memory } = requirePeer("mem0ai/oss", "engines") as Mem0;
  const memory = new Memory({
    disableHistory: true,
    embedder: {
      provider: "langchain",
      config: { model: langChainEmbeddings(), embeddingDims: DIMENSIONS },
    },
    vectorStore: {
      provider: "memory",
      config: { collectionName: "bench", dimension: DIMENSIONS, dbPath: ":memory:" },
    },
    // Wanted by its settings, and never called.
    llm: { provider: "openai", config: { apiKey: "none", model: "none" } },
  });
  return {
    async add(turn, index) {
      await memory.add(referenceLine(turn), {
        userId: id,
        infer: false,
        metadata: { turn: index },
      });
    },
    async search(question) {
      const options = { filters: { user_id: id }, topK: MOST_FOUND, threshold: 0 };
      const { results } = await memory.search(question, options);
      return results.map(({ metadata }) => metadata.turn);
    },
    async close() {},
  };
}

interface Mastra {
  readonly LibSQLStore: new (options: object) => object;
  readonly LibSQLVector: new (options: object) => object;
  readonly Memory: new (
    options: object,
  ) => {
    saveThread(options: object): Promise<unknown>;
    saveMessages(options: object): Promise<unknown>;
    query(options: object): Promise<{ messagesV2: readonly { id: string }[] }>;
  };
}

/**
 * Its semantic recall gives messages in the order of time and says no scores. What it finds with few is
 * better than what it finds only with more: so it is asked for more and more. Only the last question
 * counts as its time.
 */
const MASTRA_STEPS = [5, 20, 80, MOST_FOUND];

async function openMastra(): Promise<Engine> {
  const { Memory } = requirePeer("@mastra/memory", "engines") as Mastra;
  const { LibSQLStore, LibSQLVector } = requirePeer("@mastra/libsql", "engines") as Mastra;
  // Its own default store. In a file, since each of its transactions would open a memory of its own.
  const folder = mkdtempSync(join(tmpdir(), "dentate-mastra-"));
  const url = `file:${join(folder, "memory.db")}`;
  const threadId = "bench";
  const resourceId = "bench";
  const memory = new Memory({
    storage: new LibSQLStore({ url }),
    vector: new LibSQLVector({ connectionUrl: url }),
    embedder: {
      specificationVersion: "v1",
      provider: "bench",
      modelId: "distilled",
      maxEmbeddingsPerCall: 2048,
      supportsParallelCalls: true,
      doEmbed: async ({ values }: { values: readonly string[] }) => ({
        embeddings: values.map(embed),
      }),
    },
    options: { lastMessages: false, semanticRecall: { topK: 5, messageRange: 0 } },
  });
  const now = new Date();
  await memory.saveThread({
    thread: { id: threadId, resourceId, title: "bench", createdAt: now, updatedAt: now },
  });
  let lastMs = 0;
  const find = async (question: string, topK: number) => {
    const { messagesV2 } = await memory.query({
      threadId,
      resourceId,
      selectBy: { vectorSearchString: question, last: 0 },
      threadConfig: { lastMessages: 0, semanticRecall: { topK, messageRange: 0 } },
    });
    return messagesV2.map(({ id }) => Number(id));
  };
  return {
    async add(turn, index) {
      const { role, at } = turn.checked;
      const message = {
        id: String(index),
        role: role === "user" ? "user" : "assistant",
        type: "text",
        threadId,
        resourceId,
        createdAt: new Date(at),
        content: { format: 2, parts: [{ type: "text", text: referenceLine(turn) }] },
      };
      await memory.saveMessages({ messages: [message], format: "v2" });
    },
    async search(question) {
      const found = new Set<number>();
      for (const topK of MASTRA_STEPS) {
        const start = performance.now();
        for (const turn of await find(question, topK)) found.add(turn);
        lastMs = performance.now() - start;
      }
      return [...found];
    },
    get lastMs() {
      return lastMs;
    },
    async close() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
