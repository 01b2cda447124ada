import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { TextNode } from "@llamaindex/core/schema";
import {
  Agent,
  type AgentInputItem,
  type Model,
  type ModelResponse,
  Runner,
  tool,
  Usage,
} from "@openai/agents-core";
import { generateText, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { memoryMiddleware, memoryTools } from "../../src/adapters/ai-sdk/index.js";
import {
  DentateChatMessageHistory,
  DentateRetriever,
  DentateVectorStore,
} from "../../src/adapters/langchain/index.js";
import { DentateStore } from "../../src/adapters/langgraph.js";
import {
  DentateMemoryBlock,
  DentateVectorStore as LlamaVectorStore,
} from "../../src/adapters/llamaindex/index.js";
import { memoryProcessor } from "../../src/adapters/mastra/index.js";
import { DentateQdrant } from "../../src/adapters/mem0/index.js";
import { DentateSession } from "../../src/adapters/openai-agents.js";
import type { Memory } from "../../src/index.js";
import { withMemory } from "../lib/with-memory.js";
import { askOf, WAYS } from "./ways.js";

const FACT = "Hi, my passport number is K4471203";
const QUESTION = "Hi, what is my passport number?";

const recalled = async (memory: Memory) => {
  const { text } = await memory.bank("ana").recall(QUESTION, { budget: 2000, marked: true });
  assert.ok(text.includes("K4471203"));
  return text;
};
const prompted = async (memory: Memory) =>
  `Answer from this:\n${await recalled(memory)}\n${QUESTION}`;

/** A round of a conversation, in which what is recalled comes into what is kept; all of it about bank `ana`. */
const ROUNDS: Readonly<Record<string, (memory: Memory, round: number) => Promise<unknown>>> = {
  "the library's `stripRecalled`": async (memory) =>
    memory
      .bank("ana")
      .add({ role: "user", content: await prompted(memory) }, { stripRecalled: true }),

  "the service's own routes": async (memory) => {
    const ask = askOf(memory);
    const asked = { question: QUESTION, budget: 2000, marked: true };
    const { text } = await ask("POST", "/v1/banks/ana/recall", asked);
    const turns = [{ role: "user", content: `${String(text)}\n${QUESTION}` }];
    await ask("POST", "/v1/banks/ana/turns", { turns, stripRecalled: true });
    await ask("POST", "/v1/banks/ana/ingest?stripRecalled=true", turns[0]);
    await assert.rejects(ask("POST", "/v1/banks/ana/ingest?strip=true", turns[0]), /400.*strip/);
  },

  "mem0's routes": async (memory) => {
    const user = { role: "user", content: await prompted(memory) };
    const body = { user_id: "ana", messages: [user, { role: "assistant", content: "Noted." }] };
    const { results } = await askOf(memory)("POST", "/v3/memories/add/", body);
    assert.ok(!JSON.stringify(results).includes("K4471203"));
    const alone = { user_id: "ana", messages: await recalled(memory) };
    assert.deepEqual(await askOf(memory)("POST", "/v3/memories/add/", alone), { results: [] });
  },

  "MCP's tools, whose context a model writes down again": async (memory) => {
    const way = await WAYS["MCP's tools"]!(memory);
    await way.add("ana", [await prompted(memory)]);
    const nothing = await recalled(memory);
    await assert.rejects(way.add("ana", [nothing]), "nothing but what was recalled is refused");
  },

  "the AI SDK's middleware": async (memory) => {
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const mock = new MockLanguageModelV3({
      doGenerate: {
        content: [{ type: "text", text: "Noted." }],
        finishReason: { unified: "stop", raw: "stop" },
        usage,
        warnings: [],
      },
    });
    const middleware = memoryMiddleware({ memory, bank: "ana" });
    const model = wrapLanguageModel({ model: mock, middleware });
    await generateText({ model, prompt: QUESTION });
    assert.match(JSON.stringify(mock.doGenerateCalls[0]!.prompt), /K4471203/);
    // And a caller who puts it there as well.
    await generateText({ model, prompt: await prompted(memory) });
  },

  "the AI SDK's tools": async (memory) => {
    const { addMemory } = memoryTools({ memory, bank: "ana" });
    const nothing = { memory: await recalled(memory) };
    const call = { toolCallId: "c", messages: [] };
    await assert.rejects(async () => addMemory.execute!(nothing, call), RangeError);
    await addMemory.execute!({ memory: await prompted(memory) }, { toolCallId: "c", messages: [] });
  },

  "LangChain's retriever and history": async (memory, round) => {
    const retriever = new DentateRetriever({ memory, bank: "ana", budget: 2000 });
    const [context] = await retriever.invoke(QUESTION);
    assert.match(context!.pageContent, /K4471203/);
    const history = new DentateChatMessageHistory({ memory, bank: "ana", sessionId: "s" });
    const message = `${context!.pageContent}\n\n${QUESTION}`;
    await history.addMessages([new HumanMessage(message), new AIMessage("Noted.")]);
    const messages = await history.getMessages();
    assert.equal(messages.length, 2 * (round + 1));
    assert.equal(messages.at(-2)!.content, message, "it comes back as it was");
  },

  "LangGraph's store": async (memory, round) => {
    const store = new DentateStore(memory, { prefix: "" });
    const value = { text: await prompted(memory), round };
    await store.put(["ana"], `k${round}`, value);
    assert.deepEqual((await store.get(["ana"], `k${round}`))?.value, value);
  },

  "OpenAI's sessions": async (memory) => {
    const session = new DentateSession(memory, { sessionId: "s", bank: "ana" });
    const content = [{ type: "input_text" as const, text: await prompted(memory) }];
    const item: AgentInputItem = { role: "user", content };
    await session.addItems([item]);
    assert.deepEqual(await session.getItems(1), [item], "it comes back as it was");
  },

  "LlamaIndex's memory block": async (memory) => {
    const block = new DentateMemoryBlock({ memory, bank: "ana" });
    const [found] = await block.get([{ id: "q", role: "user", content: QUESTION }]);
    assert.match(String(found!.content), /K4471203/);
    await block.put([
      { ...found!, role: "user" },
      { id: "a", role: "assistant", content: "No." },
    ]);
  },

  "Mastra's processor": async (memory) => {
    const asking = {
      id: "1",
      role: "user",
      createdAt: new Date(),
      content: { format: 2, parts: [{ type: "text", text: QUESTION }] },
    };
    const { processInput } = memoryProcessor({ memory, bank: "ana" });
    const messages = await processInput({ messages: [asking] });
    assert.match(JSON.stringify(messages), /K4471203/);
    for (const { content } of messages) {
      const [part] = content.parts as { text: string }[];
      const { text } = part!;
      await memory.bank("ana").add({ role: "user", content: text }, { stripRecalled: true });
    }
  },
};

describe("Recalled text is stored again, until there are thousands of copies", () => {
  for (const [name, round] of Object.entries(ROUNDS)) {
    // MemTensor/MemOS#1383: 54,603 copies of "hi"
    it(`not by ${name}`, () =>
      withMemory(async (memory) => {
        await memory.bank("ana").add({ role: "user", content: FACT });
        for (let i = 0; i < 8; i++) await round(memory, i);
        let copies = 0;
        for (const bank of await memory.banks()) {
          for (const { content } of await memory.bank(bank).list()) {
            if (content.includes("K4471203")) copies++;
          }
        }
        assert.equal(copies, 1);
      }));
  }
});

describe("The same is stored again and again under new ids", () => {
  // letta-ai/letta#3116, woogiekim/agent-crew#28
  it("not where `dedupe` asks: the id that was there is answered, by the library and over HTTP", () =>
    withMemory(async (memory) => {
      const ask = askOf(memory);
      const turns = [
        { role: "user" as const, content: FACT },
        { role: "user", content: FACT },
      ];
      const ids = new Set<string>();
      for (let i = 0; i < 5; i++) {
        const { results } = await ask("POST", "/v1/banks/ana/turns", { turns, dedupe: true });
        for (const { id } of results as { id: string }[]) ids.add(id);
        ids.add((await memory.bank("ana").add(turns[0] as never, { dedupe: true })).id);
      }
      for (let i = 0; i < 2; i++) {
        const answer = await ask("POST", "/v1/banks/ana/ingest?dedupe=true", turns[0]);
        for (const { id } of answer["results"] as { id: string }[]) ids.add(id);
      }
      assert.deepEqual([...ids], ["e1"]);
      assert.equal((await memory.bank("ana").stats()).entries, 1);
    }));
});

describe("Deduplication throws away what is not the same", () => {
  // omega-memory/omega-memory PR#73 dropped 332 of 3,000 different texts that were alike by their vectors;
  // mem0ai/mem0#5850 kept 13 of 15 paraphrases, and nobody knew which.
  it("no: only the same text of the same speaker and session is a duplicate", () =>
    withMemory(async (memory) => {
      const bank = memory.bank("ana");
      const texts = ["Tea", "Coffee", "Water", "Milk", "Juice"].flatMap((drink) => [
        `${drink} is what I like best in the morning`,
        `In the morning I like ${drink} best`,
        `${drink} is what I like best in the mornings`,
        `${drink} is what I like best in the morning.`,
        `${drink.toLowerCase()} is what I like best in the morning`,
        `${drink} is not what I like best in the morning`,
        `${drink} is what I like best in the morning `,
      ]);
      const turns = texts.map((content) => ({ role: "user" as const, content }));
      const results = await bank.addMany(turns, { dedupe: true });
      assert.ok(results.every(({ status }) => status === "added"));
      for (const other of [{ speaker: "Ben" }, { session: "s2" }, { role: "assistant" as const }]) {
        const { status } = await bank.add({ ...turns[0]!, ...other }, { dedupe: true });
        assert.equal(status, "added");
      }
      await bank.indexed();
      const { items } = await bank.recall("What do I like?", {
        strategy: "full-context",
        budget: 5000,
      });
      const packed = new Set(items.map(({ content }) => content));
      for (const text of texts) assert.ok(packed.has(text), text);
    }));

  // doobidoo/mcp-memory-service PR#1180
  it("no: of two copies one stays when the other is deleted, and both are never gone", () =>
    withMemory(async (memory) => {
      const bank = memory.bank("ana");
      const [first, second] = await bank.addMany([
        { role: "user", content: FACT },
        { role: "user", content: FACT },
      ]);
      assert.deepEqual([first!.status, second!.status], ["added", "duplicate"]);
      const ids = [first!.id, second!.id];
      for (const left of [1, 0]) {
        const again = await bank.add({ role: "user", content: FACT }, { dedupe: true });
        assert.equal(again.status, "duplicate");
        assert.ok(ids.includes(again.id));
        assert.equal(await bank.delete(again.id), 1);
        assert.equal((await bank.stats()).entries, left);
        const { text } = await bank.recall(QUESTION, { budget: 100 });
        assert.equal(text.includes("K4471203"), left === 1);
      }
      const anew = await bank.add({ role: "user", content: FACT }, { dedupe: true });
      assert.equal(anew.status, "added", "it may be said again");
      assert.match((await bank.recall(QUESTION, { budget: 100 })).text, /K4471203/);
    }));
});

describe("What is inserted under its id is there twice, since each handle looked before the other wrote", () => {
  /** Writes an item by a handle of its own, as each request makes one, and says how many there are, and how many after deleting it. */
  const HANDLES: Readonly<
    Record<
      string,
      (memory: Memory) => {
        put(text: string): Promise<unknown>;
        remove(): Promise<unknown>;
        count(): Promise<number>;
      }
    >
  > = {
    "LangChain's vector store": (memory) => {
      const open = () => new DentateVectorStore(undefined as never, { memory, bank: "b" });
      const ids = ["doc-1"];
      return {
        put: (pageContent) => open().addDocuments([{ pageContent, metadata: {} }], { ids }),
        remove: () => open().delete({ ids }),
        count: async () => (await memory.bank("b").stats()).entries,
      };
    },
    "LangGraph's store": (memory) => {
      const open = () => new DentateStore(memory);
      return {
        put: (text) => open().put(["b"], "k", { text }),
        remove: () => open().delete(["b"], "k"),
        count: async () => (await open().search(["b"])).length,
      };
    },
    "LlamaIndex's vector store": (memory) => {
      const open = () => new LlamaVectorStore({ memory, bank: "b", embedModel: {} as never });
      return {
        put: (text) =>
          open().add([new TextNode({ id_: "n", text }), new TextNode({ id_: "n", text })]),
        remove: () => memory.bank("b").deleteWhere({ metadata: { nodeId: "n" } }),
        count: async () => (await memory.bank("b").stats()).entries,
      };
    },
    "mem0's own memory": (memory) => {
      const vectors = { size: 1, distance: "Cosine" };
      const open = async () => {
        const client = new DentateQdrant({ memory });
        await client.createCollection("b", { vectors }).catch(() => undefined);
        return client;
      };
      return {
        put: async (data) =>
          (await open()).upsert("b", { points: [{ id: 1, vector: [1], payload: { data } }] }),
        remove: async () => (await open()).delete("b", { points: [1] }),
        count: async () => (await memory.bank("mem0/b").stats()).entries,
      };
    },
  };
  for (const [name, handles] of Object.entries(HANDLES)) {
    // lancedb/lancedb#3377
    it(`not by ${name}`, () =>
      withMemory(async (memory) => {
        const { put, remove, count } = handles(memory);
        const texts = Array.from({ length: 20 }, (_, i) => `text ${i}`);
        await Promise.all(texts.map((text) => put(text)));
        assert.equal(await count(), 1);
        await put("again");
        assert.equal(await count(), 1);
        await remove();
        assert.equal(await count(), 0);
      }));
  }

  it("nor within one call", () =>
    withMemory(async (memory) => {
      const store = new DentateVectorStore(undefined as never, { memory, bank: "b" });
      const texts = ["first", "other", "second", "third"];
      const documents = texts.map((pageContent) => ({ pageContent, metadata: {} }));
      const ids = ["x", undefined, "x", "x"] as string[];
      const given = await store.addDocuments(documents, { ids });
      assert.deepEqual([given[0], given[2], given[3]], ["x", "x", "x"]);
      const kept = (await memory.bank("b").list()).map(({ content }) => content);
      assert.deepEqual(kept.sort(), ["other", "third"]);
      await store.delete({ ids: [given[1]!] });
      assert.equal((await memory.bank("b").stats()).entries, 1);
    }));
});

describe("A call of a tool is in the history twice after a run is resumed", () => {
  class Stub implements Model {
    readonly #answers: ModelResponse["output"][] = [
      [{ type: "function_call", callId: "c1", name: "wire", arguments: "{}", status: "completed" }],
      [
        {
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Done." }],
        },
      ],
    ];

    async getResponse(): Promise<ModelResponse> {
      return { usage: new Usage(), output: this.#answers.shift()! };
    }

    // biome-ignore lint/correctness/useYield: no test streams
    async *getStreamedResponse(): AsyncGenerator<never> {
      throw new Error("not streamed");
    }
  }

  // openai/openai-agents-js#701
  it("no: the call, its result and the answer are there once each", () =>
    withMemory(async (memory) => {
      const wire = tool({
        name: "wire",
        description: "Send money",
        parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
        strict: false,
        needsApproval: true,
        execute: async () => "sent",
      });
      const agent = new Agent({ name: "a", model: new Stub(), tools: [wire] });
      const session = new DentateSession(memory, { sessionId: "s", bank: "ana" });
      const runner = new Runner({ tracingDisabled: true });
      const first = await runner.run(agent, "Send it", { session });
      assert.equal(first.interruptions.length, 1);
      for (const one of first.interruptions) first.state.approve(one);
      const { finalOutput } = await runner.run(agent, first.state, { session });
      assert.equal(finalOutput, "Done.");
      const types = (await session.getItems()).map(({ type }) => type ?? "message");
      assert.deepEqual(types, ["message", "function_call", "function_call_result", "message"]);
    }));
});
