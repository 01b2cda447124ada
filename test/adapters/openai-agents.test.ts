import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  Agent,
  type AgentInputItem,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Runner,
  tool,
  Usage,
} from "@openai/agents-core";
import { DentateSession } from "../../src/adapters/openai-agents.js";
import { Memory } from "../../src/index.js";

/** Calls the tool once, then answers; keeps what it was asked with. */
class StubModel implements Model {
  readonly seen: AgentInputItem[][] = [];
  readonly #answers: ModelResponse["output"][];

  constructor(...answers: ModelResponse["output"][]) {
    this.#answers = answers;
  }

  async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
    this.seen.push(structuredClone(input) as AgentInputItem[]);
    return { usage: new Usage(), output: this.#answers.shift()! };
  }

  // biome-ignore lint/correctness/useYield: no test streams
  async *getStreamedResponse(): AsyncGenerator<never> {
    throw new Error("not streamed");
  }
}

const says = (text: string): ModelResponse["output"] => [
  {
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text }],
  },
];
const weather = tool({
  name: "weather",
  description: "The weather in a city",
  parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
  strict: false,
  execute: async () => "Sunny, 24 degrees",
});

describe("DentateSession in a run of the Agents SDK", () => {
  it("carries the conversation, tool calls included, from process to process", async () => {
    const directory = await mkdtemp(join(tmpdir(), "dentate-agents-"));
    const talk = async (model: StubModel, question: string) => {
      const memory = await Memory.open(directory);
      try {
        const session = new DentateSession(memory, { sessionId: "t1", bank: "ana" });
        const agent = new Agent({ name: "guide", model, tools: [weather] });
        const runner = new Runner({ tracingDisabled: true });
        const { finalOutput } = await runner.run(agent, question, { session });
        const recall = await memory.bank("ana").recall("How warm was it?", { budget: 200 });
        return { finalOutput, items: await session.getItems(), recalled: recall.text };
      } finally {
        await memory.close();
      }
    };
    try {
      const call = {
        type: "function_call",
        callId: "c1",
        name: "weather",
        arguments: '{"city":"Lisbon"}',
      };
      const first = await talk(
        new StubModel([{ ...call, status: "completed" } as never], says("It is sunny.")),
        "How is the weather in Lisbon?",
      );
      assert.equal(first.finalOutput, "It is sunny.");
      assert.deepEqual(
        first.items.map(({ type }) => type),
        ["message", "function_call", "function_call_result", "message"],
      );
      assert.match(first.recalled, /Sunny, 24 degrees/);
      const model = new StubModel(says("You asked about Lisbon."));
      await talk(model, "Which city did I ask about?");
      // The second run's model saw the first run's items, as they were.
      const history = model.seen[0]!.slice(0, 4).map((item) => (item as { type?: string }).type);
      assert.deepEqual(history, ["message", "function_call", "function_call_result", "message"]);
      assert.match(JSON.stringify(model.seen[0]), /Sunny, 24 degrees/);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe("DentateSession", () => {
  it("gives the latest items in order, pops the last, and clears its own conversation alone", async () => {
    const memory = await Memory.open({ inMemory: true });
    try {
      const [one, two] = ["1", "2"].map((sessionId) => new DentateSession(memory, { sessionId }));
      const item = (text: string): AgentInputItem => ({
        type: "message",
        role: "user",
        content: [{ type: "input_text", text }],
        providerData: { nested: { big: "x".repeat(100_000) }, nothing: null },
      });
      const items = Array.from({ length: 5 }, (_, i) => item(`Item ${i}`));
      await one!.addItems(items);
      await two!.addItems([item("Another's")]);
      await one!.addItems([]);
      assert.deepEqual(await one!.getItems(), items);
      assert.deepEqual(await one!.getItems(2), items.slice(3));
      assert.deepEqual(await one!.getItems(0), []);
      assert.deepEqual(await one!.popItem(), items[4]);
      const pair = [items[0]!, items[1]!];
      await one!.addItems(pair);
      // Two that pop at once get one each.
      const popped = await Promise.all([one!.popItem(), one!.popItem()]);
      assert.deepEqual(
        new Set(popped.map((item) => JSON.stringify(item))),
        new Set(pair.map((item) => JSON.stringify(item))),
      );
      assert.equal((await one!.getItems()).length, 4);
      await one!.clearSession();
      assert.deepEqual(await one!.getItems(), []);
      assert.equal(await one!.popItem(), undefined);
      assert.equal((await two!.getItems()).length, 1);
    } finally {
      await memory.close();
    }
  });
});
