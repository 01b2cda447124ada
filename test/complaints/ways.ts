import { HumanMessage } from "@langchain/core/messages";
import { TextNode } from "@llamaindex/core/schema";
import { VectorStoreQueryMode } from "@llamaindex/core/vector-store";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { memoryTools } from "../../src/adapters/ai-sdk/index.js";
import {
  DentateChatMessageHistory,
  DentateVectorStore,
} from "../../src/adapters/langchain/index.js";
import { DentateStore } from "../../src/adapters/langgraph.js";
import {
  DentateMemoryBlock,
  DentateVectorStore as LlamaVectorStore,
} from "../../src/adapters/llamaindex/index.js";
import { mastraVector } from "../../src/adapters/mastra/index.js";
import { DentateQdrant } from "../../src/adapters/mem0/index.js";
import { DentateSession } from "../../src/adapters/openai-agents.js";
import type { Memory } from "../../src/index.js";
import { createMcpServer } from "../../src/mcp/server.js";
import { createApp } from "../../src/server/index.js";

/**
 * Every way that users have to a memory, as four verbs, so that a complaint is tried on all of them. What a way
 * has no verb of its own for is done through the library.
 */
export interface Way {
  /** Resolves when all of them are acknowledged, each by an id where the way gives ids. */
  add(user: string, texts: readonly string[]): Promise<void>;
  /** All that is remembered of a user, oldest first. */
  all(user: string): Promise<string[]>;
  /** What answers a question, best first. */
  find(user: string, question: string): Promise<string[]>;
  /** Everything of a user's. */
  forget(user: string): Promise<void>;
}

const FOUND = 50;
const EVERYTHING = { ingestedAt: { gte: 0 } };
const SIZE = 8;

/** Letters counted: near texts have near vectors, and no model is needed. */
function embed(text: string): number[] {
  const counts = new Array<number>(SIZE).fill(0.01);
  for (const letter of text) counts[letter.charCodeAt(0) % SIZE]!++;
  return counts;
}

export const WAYS: Readonly<Record<string, (memory: Memory) => Promise<Way>>> = {
  "the library": async (memory) => byLibrary(memory, (user) => user),

  "the service's own routes": async (memory) => {
    const ask = askOf(memory);
    const of = (user: string) => `/v1/banks/${encodeURIComponent(user)}`;
    return {
      async add(user, texts) {
        const turns = texts.map((content) => ({ role: "user", content }));
        const { results } = await ask("POST", `${of(user)}/turns`, { turns });
        expectIds(texts, results as Identified[]);
      },
      async all(user) {
        const { entries } = await ask("GET", `${of(user)}/entries?limit=10000`);
        return (entries as { content: string }[]).map(({ content }) => content);
      },
      async find(user, question) {
        const { items } = await ask("POST", `${of(user)}/recall`, { question, budget: 5000 });
        return (items as { content: string }[]).map(({ content }) => content);
      },
      async forget(user) {
        await ask("POST", `${of(user)}/delete`, { filter: EVERYTHING });
      },
    };
  },

  "mem0's routes": async (memory) => {
    const ask = askOf(memory);
    const texts = (results: unknown) => (results as { memory: string }[]).map((one) => one.memory);
    return {
      async add(user, given) {
        const messages = given.map((content) => ({ role: "user", content }));
        const { results } = await ask("POST", "/v3/memories/add/", { user_id: user, messages });
        expectIds(given, results as Identified[]);
      },
      async all(user) {
        const path = "/v3/memories/?page=1&page_size=10000";
        return texts((await ask("POST", path, { filters: { user_id: user } }))["results"]);
      },
      async find(user, query) {
        const body = { query, filters: { user_id: user }, top_k: FOUND };
        return texts((await ask("POST", "/v3/memories/search/", body))["results"]);
      },
      async forget(user) {
        await ask("DELETE", `/v1/memories/?user_id=${encodeURIComponent(user)}`);
      },
    };
  },

  "MCP's tools": async (memory) => {
    const clients = new Map<string, Promise<Client>>();
    const connect = async (user: string) => {
      const client = new Client({ name: "test", version: "1" });
      const [theirs, ours] = InMemoryTransport.createLinkedPair();
      await createMcpServer({ bank: memory.bank(user) }).connect(ours);
      await client.connect(theirs);
      return client;
    };
    const call = async (user: string, name: string, args: object = {}) => {
      if (!clients.has(user)) clients.set(user, connect(user));
      const client = await clients.get(user)!;
      const { content } = await client.callTool({ name, arguments: { ...args } });
      return JSON.parse((content as { text: string }[])[0]!.text) as Record<string, never>;
    };
    const texts = (results: { memory: string }[]) => results.map((one) => one.memory);
    return {
      ...byLibrary(memory, (user) => user),
      async add(user, given) {
        for (const text of given) {
          expectIds([text], [(await call(user, "add_memory", { text })) as never]);
        }
      },
      async find(user, query) {
        return texts((await call(user, "search_memories", { query, limit: FOUND }))["results"]!);
      },
      async forget(user) {
        await call(user, "delete_all_memories");
      },
    };
  },

  "LangChain's vector store": async (memory) => {
    const of = (bank: string) => new DentateVectorStore(undefined as never, { memory, bank });
    return {
      ...byLibrary(memory, (user) => user),
      async add(user, texts) {
        const documents = texts.map((pageContent) => ({ pageContent, metadata: {} }));
        const ids = await of(user).addDocuments(documents);
        expectIds(
          texts,
          ids.map((id) => ({ id })),
        );
      },
      async find(user, question) {
        const found = await of(user).similaritySearch(question, FOUND);
        return found.map(({ pageContent }) => pageContent);
      },
      async forget(user) {
        await of(user).delete({ deleteAll: true });
      },
    };
  },

  "LangChain's message history": async (memory) => {
    const of = (bank: string) => new DentateChatMessageHistory({ memory, bank, sessionId: "s" });
    return {
      ...byLibrary(memory, (user) => user),
      add: (user, texts) => of(user).addMessages(texts.map((text) => new HumanMessage(text))),
      all: async (user) => (await of(user).getMessages()).map(({ content }) => String(content)),
      forget: (user) => of(user).clear(),
    };
  },

  "LangGraph's store": async (memory) => {
    const store = new DentateStore(memory);
    let key = 0;
    const texts = (items: { value: Record<string, unknown> }[]) =>
      items.map(({ value }) => value["text"] as string);
    return {
      async add(user, given) {
        for (const text of given) await store.put(["memories", user], `k${key++}`, { text });
      },
      all: async (user) => texts(await store.search(["memories", user], { limit: 10_000 })),
      find: async (user, query) =>
        texts(await store.search(["memories", user], { query, limit: FOUND })),
      async forget(user) {
        for (const { key: of } of await store.search(["memories", user], { limit: 10_000 })) {
          await store.delete(["memories", user], of);
        }
      },
    };
  },

  "OpenAI's sessions": async (memory) => {
    const of = (bank: string) => new DentateSession(memory, { sessionId: "s", bank });
    return {
      ...byLibrary(memory, (user) => user),
      add: (user, texts) =>
        of(user).addItems(texts.map((content) => ({ role: "user" as const, content }))),
      all: async (user) =>
        (await of(user).getItems()).map((item) => (item as { content: string }).content),
      forget: (user) => of(user).clearSession(),
    };
  },

  "the AI SDK's tools": async (memory) => {
    const call = { toolCallId: "c", messages: [] };
    return {
      ...byLibrary(memory, (user) => user),
      async add(bank, texts) {
        const { addMemory } = memoryTools({ memory, bank });
        for (const text of texts) {
          expectIds([text], [(await addMemory.execute!({ memory: text }, call)) as Identified]);
        }
      },
      async find(bank, query) {
        const { searchMemories } = memoryTools({ memory, bank });
        const found = await searchMemories.execute!({ query, limit: FOUND }, call);
        return (found as { memory: string }[]).map((one) => one.memory);
      },
    };
  },

  "LlamaIndex's memory block": async (memory) => {
    const of = (bank: string) =>
      new DentateMemoryBlock({ memory, bank, recall: { budget: 5000, packer: "flat" } });
    return {
      ...byLibrary(memory, (user) => user),
      add: (user, texts) =>
        of(user).put(texts.map((content, i) => ({ id: `${i}`, role: "user" as const, content }))),
      async find(user, content) {
        const [found] = await of(user).get([{ id: "q", role: "user", content }]);
        return found === undefined ? [] : [String(found.content)];
      },
    };
  },

  "LlamaIndex's vector store": async (memory) => {
    const of = (bank: string) => new LlamaVectorStore({ memory, bank, embedModel: {} as never });
    return {
      ...byLibrary(memory, (user) => user),
      async add(user, texts) {
        const ids = await of(user).add(texts.map((text) => new TextNode({ text })));
        expectIds(
          texts,
          ids.map((id) => ({ id })),
        );
      },
      async find(user, queryStr) {
        const mode = VectorStoreQueryMode.DEFAULT;
        const { nodes } = await of(user).query({ queryStr, similarityTopK: FOUND, mode });
        return (nodes ?? []).map((node) => (node as TextNode).text);
      },
    };
  },

  "Mastra's vectors": async (memory) => {
    abstract class Base {}
    const Vectors = mastraVector(Base, { memory }) as never as MastraVectors;
    const of = async (user: string) => {
      const isThere = (await Vectors.listIndexes()).includes(user);
      if (!isThere) await Vectors.createIndex({ indexName: user, dimension: SIZE });
      return user;
    };
    const query = async (user: string, text: string, topK: number) => {
      const queryVector = embed(text);
      const found = await Vectors.query({ indexName: await of(user), queryVector, topK });
      return found.map(({ metadata }) => metadata["text"]);
    };
    return {
      async add(user, texts) {
        const indexName = await of(user);
        const vectors = texts.map(embed);
        const metadata = texts.map((text) => ({ text }));
        const ids = await Vectors.upsert({ indexName, vectors, metadata });
        expectIds(
          texts,
          ids.map((id) => ({ id })),
        );
      },
      all: (user) => query(user, "all", 10_000),
      find: (user, question) => query(user, question, FOUND),
      async forget(user) {
        await Vectors.deleteIndex({ indexName: await of(user) });
      },
    };
  },

  "mem0's own memory": async (memory) => {
    const client = new DentateQdrant({ memory });
    if (!(await client.collectionExists("c")).exists) {
      await client.createCollection("c", { vectors: { size: SIZE, distance: "Cosine" } });
    }
    const filterOf = (user: string) => ({ must: [{ key: "user_id", match: { value: user } }] });
    const texts = (points: readonly { payload?: Readonly<Record<string, unknown>> }[]) =>
      points.map(({ payload }) => payload!["data"] as string);
    return {
      async add(user, given) {
        const vectors = given.map(embed);
        const points = given.map((data, i) => ({
          id: crypto.randomUUID(),
          vector: vectors[i]!,
          payload: { data, user_id: user },
        }));
        await client.upsert("c", { points });
      },
      async all(user) {
        return texts((await client.scroll("c", { filter: filterOf(user), limit: 10_000 })).points);
      },
      async find(user, question) {
        const asked = { vector: embed(question), filter: filterOf(user) };
        return texts(await client.search("c", { ...asked, limit: FOUND }));
      },
      async forget(user) {
        await client.delete("c", { filter: filterOf(user) });
      },
    };
  },
};

interface Identified {
  readonly id: string;
}

interface MastraVectors {
  listIndexes(): Promise<string[]>;
  createIndex(params: object): Promise<void>;
  deleteIndex(params: object): Promise<void>;
  upsert(params: object): Promise<string[]>;
  query(params: object): Promise<{ metadata: { text: string } }[]>;
}

function byLibrary(memory: Memory, bankOf: (user: string) => string): Way {
  const of = (user: string) => memory.bank(bankOf(user));
  return {
    async add(user, texts) {
      const turns = texts.map((content) => ({ role: "user" as const, content }));
      expectIds(texts, await of(user).addMany(turns));
    },
    all: async (user) => (await of(user).list({ limit: 10_000 })).map(({ content }) => content),
    find: async (user, question) =>
      (await of(user).recall(question, { budget: 5000 })).items.map(({ content }) => content),
    forget: async (user) => {
      await of(user).deleteWhere(EVERYTHING);
    },
  };
}

/** Asks a service without sockets; what it refuses is thrown. */
export function askOf(memory: Memory) {
  const { app } = createApp({ memory });
  return async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const answer = await app.request(path, {
      method,
      headers: { "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
}

function expectIds(texts: readonly string[], results: readonly Identified[]): void {
  const ids = new Set(results.map(({ id }) => id).filter((id) => typeof id === "string"));
  if (ids.size !== texts.length) throw new Error(`${texts.length} added, ${ids.size} ids`);
}
