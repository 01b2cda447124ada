import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate, MessagesPlaceholder } from "@langchain/core/prompts";
import {
  RunnableLambda,
  RunnablePassthrough,
  RunnableWithMessageHistory,
} from "@langchain/core/runnables";
import { FakeListChatModel, SyntheticEmbeddings } from "@langchain/core/utils/testing";
import {
  DentateChatMessageHistory,
  DentateRetriever,
  DentateVectorStore,
} from "../../src/adapters/langchain/index.js";
import { Memory } from "../../src/index.js";

const embeddings = new SyntheticEmbeddings({ vectorSize: 16 });
const FACTS = ["Ana keeps bees on the roof", "Ben paints boats", "Cleo plays the cello"];

describe("LangChain", () => {
  let memory: Memory;
  beforeEach(async () => {
    memory = await Memory.open({ inMemory: true });
  });
  afterEach(() => memory.close());

  it("asks the retriever in a chain, within its budget", async () => {
    for (const content of FACTS) await memory.bank("u").add({ role: "user", content });
    const retriever = new DentateRetriever({ memory, bank: "u", budget: 60 });
    const prompt = ChatPromptTemplate.fromTemplate("Context:\n{context}\n\nQuestion: {question}");
    let seen = "";
    const chain = RunnablePassthrough.assign({
      context: RunnableLambda.from(async ({ question }: { question: string }) => {
        const [document] = await retriever.invoke(question);
        assert.ok((document!.metadata as { tokens: number }).tokens <= 60);
        return document!.pageContent;
      }),
    })
      .pipe(prompt)
      .pipe(
        RunnableLambda.from((value) => {
          seen = value.toString();
          return value;
        }),
      )
      .pipe(new FakeListChatModel({ responses: ["On the roof."] }))
      .pipe(new StringOutputParser());
    assert.equal(await chain.invoke({ question: "Where does Ana keep bees?" }), "On the roof.");
    assert.match(seen, /Ana keeps bees on the roof/);
    const items = await new DentateRetriever({ memory, bank: "u", as: "items" }).invoke("cello");
    assert.equal(items[0]!.pageContent, FACTS[2]);
  });

  it("tells a document called like another's entry from that, and keeps what it cannot replace", async () => {
    const store = new DentateVectorStore(embeddings, { memory });
    const document = (id: string, pageContent: string) => ({ id, pageContent, metadata: {} });
    await store.addDocuments([document("e2", FACTS[0]!), document("e1", FACTS[1]!)]);
    await store.addDocuments([document("e1", FACTS[2]!)]);
    const contents = async () =>
      (await memory.bank("default").list()).map(({ content }) => content);
    assert.deepEqual(await contents(), [FACTS[0], FACTS[2]]);
    const tooMuch = { ...document("e1", "x"), metadata: { text: "x".repeat(10_000_000) } };
    await assert.rejects(store.addDocuments([tooMuch]));
    assert.deepEqual(await contents(), [FACTS[0], FACTS[2]]);
    await store.delete({ ids: ["e1"] });
    assert.deepEqual(await contents(), [FACTS[0]]);
    await Promise.all(FACTS.map((fact) => store.addDocuments([document("e2", fact)])));
    assert.deepEqual(await contents(), [FACTS[2]]);
  });

  it("is told a conversation by RunnableWithMessageHistory, and has it after a restart", async () => {
    const directory = await mkdtemp(join(tmpdir(), "dentate-langchain-"));
    const prompt = ChatPromptTemplate.fromMessages([
      new MessagesPlaceholder("history"),
      ["human", "{input}"],
    ]);
    const asked: number[] = [];
    const ask = async (input: string, answer: string) => {
      const store = await Memory.open(directory);
      try {
        const chain = prompt
          .pipe(
            RunnableLambda.from((value) => {
              asked.push(value.toChatMessages().length);
              return value;
            }),
          )
          .pipe(new FakeListChatModel({ responses: [answer] }));
        const withHistory = new RunnableWithMessageHistory({
          runnable: chain,
          getMessageHistory: (sessionId: string) =>
            new DentateChatMessageHistory({ memory: store, sessionId, bank: "ana" }),
          inputMessagesKey: "input",
          historyMessagesKey: "history",
        });
        await withHistory.invoke({ input }, { configurable: { sessionId: "s1" } });
        return await store.bank("ana").recall("What colour is the boat?", { budget: 100 });
      } finally {
        await store.close();
      }
    };
    try {
      await ask("My boat is turquoise", "Noted.");
      const { text } = await ask("What did I say?", "You have a boat.");
      assert.deepEqual(asked, [1, 3]);
      assert.match(text, /turquoise/);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it("gets messages back as they were, tool calls and long contents too", async () => {
    const history = new DentateChatMessageHistory({ memory, sessionId: "s" });
    const other = new DentateChatMessageHistory({ memory, sessionId: "t" });
    const messages = [
      new HumanMessage({ content: [{ type: "text", text: "Look at this" }], name: "Ana" }),
      new AIMessage({
        content: "",
        tool_calls: [{ id: "c1", name: "look", args: { depth: 3 }, type: "tool_call" }],
      }),
      new ToolMessage({ content: "x".repeat(100_000), tool_call_id: "c1", name: "look" }),
      new AIMessage({ content: "Done", response_metadata: { model: "m" } }),
    ];
    await history.addMessages(messages);
    await other.addUserMessage("Something else");
    const back = await history.getMessages();
    assert.deepEqual(
      back.map((message) => message.toDict()),
      messages.map((message) => message.toDict()),
    );
    await history.clear();
    assert.deepEqual(await history.getMessages(), []);
    assert.equal((await other.getMessages()).length, 1);
  });

  it("searches documents by text, by vector and for variety, with filters", async () => {
    const store = await DentateVectorStore.fromTexts(
      FACTS,
      FACTS.map((_, n) => ({ n })),
      embeddings,
      { memory, ids: ["a", "b", "c"] },
    );
    const [best] = await store.asRetriever(1).invoke("Who paints?");
    assert.deepEqual([best!.pageContent, best!.metadata, best!.id], [FACTS[1], { n: 1 }, "b"]);
    const filter = { metadata: { "document.n": { gte: 2 } } };
    const filtered = await store.similaritySearch("Who paints?", 3, filter);
    assert.ok(filtered.every(({ metadata }) => metadata["n"] === 2));
    await store.addVectors(await embeddings.embedDocuments(FACTS), [
      ...FACTS.map((pageContent) => ({ pageContent, metadata: {} })),
    ]);
    const query = await embeddings.embedQuery(FACTS[2]!);
    const [[nearest, score] = assert.fail("nothing")] = await store.similaritySearchVectorWithScore(
      query,
      1,
    );
    assert.deepEqual([nearest.pageContent, score.toFixed(5)], [FACTS[2], "1.00000"]);
    const various = await store.maxMarginalRelevanceSearch("Ana keeps bees", { k: 1, fetchK: 3 });
    assert.equal(various.length, 1);
  });

  it("replaces documents of the same id, and deletes what it is told to", async () => {
    const store = new DentateVectorStore(embeddings, { memory });
    const add = (pageContent: string, id?: string) =>
      store.addDocuments([{ pageContent, metadata: {}, ...(id !== undefined && { id }) }]);
    await add("One boat", "x");
    assert.deepEqual(await add("Two boats", "x"), ["x"]);
    const [own] = await add("Three boats");
    const texts = async () =>
      (await store.similaritySearch("boats", 9)).map(({ pageContent }) => pageContent).sort();
    assert.deepEqual(await texts(), ["Three boats", "Two boats"]);
    await store.delete({ ids: [own!] });
    assert.deepEqual(await texts(), ["Two boats"]);
    await assert.rejects(store.delete({}), TypeError);
    await store.delete({ deleteAll: true });
    assert.deepEqual(await texts(), []);
  });
});
