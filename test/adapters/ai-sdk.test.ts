import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { memoryMiddleware, memoryTools } from "../../src/adapters/ai-sdk/index.js";
import { Memory } from "../../src/index.js";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finished = { finishReason: { unified: "stop" as const, raw: "stop" }, usage, warnings: [] };
const says = (text: string) => ({ content: [{ type: "text" as const, text }], ...finished });
const calls = (toolName: string, input: object) => ({
  content: [
    { type: "tool-call" as const, toolCallId: "c1", toolName, input: JSON.stringify(input) },
  ],
  ...finished,
  finishReason: { unified: "tool-calls" as const, raw: "tool_calls" },
});

describe("the AI SDK", () => {
  let memory: Memory;
  beforeEach(async () => {
    memory = await Memory.open({ inMemory: true });
  });
  afterEach(() => memory.close());
  const contents = async () =>
    (await memory.bank("ana").list()).map(({ role, content }) => [role, content]);

  it("gives a model what was said before, and keeps what is said now", async () => {
    const mock = new MockLanguageModelV3({ doGenerate: [says("Noted."), says("Biscuit.")] });
    const model = wrapLanguageModel({
      model: mock,
      middleware: memoryMiddleware({ memory, bank: "ana", session: "s" }),
    });
    await generateText({ model, prompt: "My dog is called Biscuit" });
    const { text } = await generateText({
      model,
      system: "Be short",
      prompt: "How is my dog called?",
    });
    assert.equal(text, "Biscuit.");
    const prompt = mock.doGenerateCalls[1]!.prompt;
    assert.deepEqual(
      prompt.map(({ role }) => role),
      ["system", "user", "user"],
    );
    assert.match(JSON.stringify(prompt[1]), /<recalled>.*My dog is called Biscuit.*<\/recalled>/);
    assert.deepEqual(await contents(), [
      ["user", "My dog is called Biscuit"],
      ["assistant", "Noted."],
      ["user", "How is my dog called?"],
      ["assistant", "Biscuit."],
    ]);
  });

  it("keeps a loop of tools once, with its calls and results together", async () => {
    const mock = new MockLanguageModelV3({
      doGenerate: [calls("weather", { city: "Lisbon" }), says("Sunny.")],
    });
    const model = wrapLanguageModel({
      model: mock,
      middleware: memoryMiddleware({ memory, bank: "ana" }),
    });
    const weather = tool({
      inputSchema: jsonSchema<{ city: string }>({ type: "object" }),
      execute: async ({ city }) => `24 degrees in ${city}`,
    });
    await generateText({
      model,
      prompt: "How warm is it?",
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    assert.deepEqual(await contents(), [
      ["user", "How warm is it?"],
      ["assistant", '{"city":"Lisbon"}'],
      ["tool", "24 degrees in Lisbon"],
      ["assistant", "Sunny."],
    ]);
    const entries = await memory.bank("ana").list();
    assert.deepEqual(
      entries.map(({ toolCallId }) => toolCallId),
      [undefined, "c1", "c1", undefined],
    );
  });

  it("passes a stream on as it comes, and keeps it when it ends", async () => {
    const mock = new MockLanguageModelV3({
      doStream: {
        stream: simulateReadableStream({
          chunks: [
            { type: "text-start", id: "1" },
            { type: "text-delta", id: "1", delta: "Hel" },
            { type: "text-delta", id: "1", delta: "lo" },
            { type: "text-end", id: "1" },
            { type: "finish", finishReason: finished.finishReason, usage },
          ],
        }),
      },
    });
    const model = wrapLanguageModel({
      model: mock,
      middleware: memoryMiddleware({ memory, bank: "ana" }),
    });
    const parts: string[] = [];
    for await (const part of streamText({ model, prompt: "Hi" }).textStream) parts.push(part);
    assert.deepEqual(parts, ["Hel", "lo"]);
    assert.deepEqual(await contents(), [
      ["user", "Hi"],
      ["assistant", "Hello"],
    ]);
  });

  it("lets a model remember, look up and forget by tools", async () => {
    const tools = memoryTools({ memory, bank: "ana" });
    const ask = async (name: string, input: object) => {
      const model = new MockLanguageModelV3({ doGenerate: [calls(name, input)] });
      const { toolResults } = await generateText({ model, tools, prompt: "Go" });
      return toolResults[0]!.output as { id: string } & { memory: string }[] & { deleted: number };
    };
    const { id } = await ask("addMemory", { memory: "Ana is allergic to walnuts" });
    const [found] = await ask("searchMemories", { query: "What is Ana allergic to?" });
    assert.equal(found!.memory, "Ana is allergic to walnuts");
    assert.deepEqual(await ask("deleteMemory", { id }), { deleted: 1 });
    assert.deepEqual(await ask("searchMemories", { query: "allergic" }), []);
  });
});
