import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SyntheticEmbeddings } from "@langchain/core/utils/testing";
import { memoryMiddleware, memoryTools } from "../../src/adapters/ai-sdk/index.js";
import {
  DentateChatMessageHistory,
  DentateRetriever,
  DentateVectorStore as LangChainVectorStore,
} from "../../src/adapters/langchain/index.js";
import { DentateStore } from "../../src/adapters/langgraph.js";
import { DentateMemoryBlock, DentateVectorStore } from "../../src/adapters/llamaindex/index.js";
import { mastraVector, memoryProcessor } from "../../src/adapters/mastra/index.js";
import { DentateQdrant } from "../../src/adapters/mem0/index.js";
import { DentateSession } from "../../src/adapters/openai-agents.js";
import { Memory } from "../../src/index.js";

// What a program in JavaScript forgets.
const none = {} as never;
const embedModel = {};

describe("adapters", () => {
  const makers: Readonly<Record<string, () => unknown>> = {
    memoryMiddleware: () => memoryMiddleware(none),
    memoryTools: () => memoryTools(none),
    DentateChatMessageHistory: () => new DentateChatMessageHistory(none),
    DentateRetriever: () => new DentateRetriever(none),
    "DentateVectorStore of LangChain": () =>
      new LangChainVectorStore(new SyntheticEmbeddings(), none),
    DentateStore: () => new DentateStore(undefined as never),
    DentateMemoryBlock: () => new DentateMemoryBlock(none),
    "DentateVectorStore of LlamaIndex": () => new DentateVectorStore({ embedModel } as never),
    mastraVector: () => mastraVector(class {}, none),
    memoryProcessor: () => memoryProcessor(none),
    DentateQdrant: () => new DentateQdrant(none),
    DentateSession: () => new DentateSession(undefined as never, none),
  };
  for (const [name, make] of Object.entries(makers)) {
    it(`says that there is no memory: ${name}`, () => {
      assert.throws(make, /^TypeError: memory: expected a Memory, got undefined$/);
    });
  }

  it("takes no history without a session, which would be everybody's", async () => {
    const memory = await Memory.open({ inMemory: true });
    const refused = /^TypeError: sessionId: expected a string, got undefined$/;
    assert.throws(() => new DentateSession(memory, none), refused);
    assert.throws(() => new DentateChatMessageHistory({ memory } as never), refused);
    await memory.close();
  });
});
