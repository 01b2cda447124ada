import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { AgentInputItem } from "@openai/agents-core";
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import fc from "fast-check";
import { get_encoding } from "tiktoken";
import { memoryMiddleware } from "../../src/adapters/ai-sdk/index.js";
import { DentateMemoryBlock } from "../../src/adapters/llamaindex/index.js";
import { memoryProcessor } from "../../src/adapters/mastra/index.js";
import { DentateSession } from "../../src/adapters/openai-agents.js";
import { type Memory, PACKERS } from "../../src/index.js";
import { withMemory } from "../lib/with-memory.js";

/** The budget's own definition, by somebody else. */
const tiktoken = get_encoding("o200k_base");
after(() => tiktoken.free());
const tokensOf = (text: string) => tiktoken.encode_ordinary(text).length;

const SAID = {
  Chinese: "我五月搬到了里斯本，住在河边的一间小公寓里。",
  Japanese: "先週、渋谷の小さな喫茶店で妹と待ち合わせました。",
  Korean: "지난주에 부산에서 배를 타고 섬으로 갔습니다.",
  Thai: "เมื่อวานฉันไปตลาดน้ำกับแม่และซื้อมะม่วง",
  Arabic: "انتقلت إلى لشبونة في مايو مع أختي الصغيرة.",
  Hebrew: "עברתי לליסבון במאי ואני גרה ליד הנהר.",
  Hindi: "मैं मई में लिस्बन चली गई और नदी के पास रहती हूँ।",
  Amharic: "በግንቦት ወር ወደ ሊዝበን ተዛወርኩ።",
  Georgian: "მაისში ლისაბონში გადავედი.",
  emoji: "👩‍👩‍👧‍👦🏳️‍🌈🇵🇹👍🏽 moved to 🏡 in May 🎉🎉",
  combining: "Ze\u0301 a\u0300\u0301\u0302\u0303 moved to Lis\u0301bo\u0303a",
  "mathematical letters": "𝓘 𝓶𝓸𝓿𝓮𝓭 𝓽𝓸 𝓛𝓲𝓼𝓫𝓸𝓷 𝕚𝕟 𝕄𝕒𝕪",
} as const;

describe("the context window is exceeded", () => {
  // mastra-ai/mastra#14115: characters divided by four are a third of what Chinese takes.
  for (const [script, sentence] of Object.entries(SAID)) {
    it(`though a budget was given, since ${script} takes more tokens than was guessed`, () =>
      withMemory(async (memory) => {
        await memory.addMany(
          Array.from({ length: 40 }, (_, i) => ({
            ...{ role: "user" as const, speaker: sentence.slice(0, 8), session: `s${i % 3}` },
            ...{ content: `${sentence} ${i} ${sentence}`, at: i * 9e6 },
          })),
        );
        for (const budget of [0, 1, 30, 31, 200, 777]) {
          for (const packer of PACKERS) {
            const { text, tokens } = await memory.recall(sentence, { budget, packer });
            assert.equal(tokens, tokensOf(text));
            assert.ok(tokens <= budget, `${packer}: ${tokens} of ${budget}`);
            if (budget > 200) assert.ok(text.includes(sentence), packer);
          }
        }
      }));
  }

  // mastra-ai/mastra#3360, #9892, #9311, #11168: the limiter did not see what was recalled.
  it("by what comes with the recalled text: headings, marks, dates, names", () =>
    withMemory(async (memory) => {
      await remember(memory);
      const heading = "# What you know about her, word by word:";
      for (const budget of [12, 20, 60, 61, 62, 200]) {
        const options = { memory, heading, recall: { budget } };
        const messages = [
          { id: "1", role: "user", createdAt: new Date(), content: partsOf("Where are the bees?") },
        ];
        const processed = await memoryProcessor(options).processInput({ messages });
        const found = processed.length > 1 ? textIn(processed[0]!.content.parts) : "";
        const seen = await promptsOf(memoryMiddleware(options), "Where are the bees?");
        for (const text of [found, ...seen.map(({ recalled }) => recalled)]) {
          assert.ok(tokensOf(text) <= budget, `${tokensOf(text)} of ${budget}: ${text}`);
          assert.equal(text !== "", budget >= 60);
          if (text !== "") assert.ok(text.startsWith(`${heading}\n<recalled>\n`));
        }
      }
    }));

  // mastra-ai/mastra#5490: the limiter ran before the first step alone.
  it("at the later steps of a loop of tools", () =>
    withMemory(async (memory) => {
      await remember(memory);
      const budget = 80;
      const middleware = memoryMiddleware({ memory, store: false, recall: { budget } });
      const seen = await promptsOf(middleware, "Where are the bees?", 4);
      assert.equal(seen.length, 4);
      for (const { recalled, roles } of seen) {
        assert.ok(recalled.includes("bees"));
        assert.ok(tokensOf(recalled) <= budget);
        // Nothing comes between a call and its result.
        assert.match(roles.join(" "), /^user user(?: assistant tool)*$/);
      }
    }));
});

describe("a limit of items", () => {
  const said = (role: "user" | "assistant", text: string) =>
    ({ type: "message", role, content: text, status: "completed" }) as unknown as AgentInputItem;
  const reasoning = (id: string) => ({ type: "reasoning", id, content: [] }) as AgentInputItem;
  const call = (callId: string) =>
    ({
      ...{ type: "function_call", callId, name: "find", arguments: "{}", status: "completed" },
    }) as AgentInputItem;
  const result = (callId: string) =>
    ({
      ...{ type: "function_call_result", callId, name: "find", status: "completed" },
      output: { type: "text", text: "two rooms" },
    }) as AgentInputItem;
  const limited = async (items: AgentInputItem[], limit: number) => {
    let found: AgentInputItem[] = [];
    await withMemory(async (memory) => {
      const session = new DentateSession(memory, { sessionId: "s" });
      await session.addItems(items);
      found = await session.getItems(limit);
    });
    return found;
  };

  // openai/openai-agents-python#4322, #3738
  it("splits a call from its result, and the model's server answers 400", async () => {
    const items = [said("user", "Find flats"), call("a"), call("b"), result("a"), result("b")];
    assert.deepEqual(await limited(items, 5), items);
    assert.deepEqual(await limited(items, 4), items.slice(1));
    assert.deepEqual(await limited(items, 3), [call("b"), result("b")]);
    assert.deepEqual(await limited(items, 2), []);
    assert.deepEqual(await limited([...items, said("user", "Thanks")], 2), [
      said("user", "Thanks"),
    ]);
  });

  // openai/openai-agents-js#929
  it("leaves reasoning without what followed, or the other way round", async () => {
    const items = [
      said("user", "Find flats"),
      ...[reasoning("r1"), call("a"), call("b"), result("a"), result("b")],
      ...[reasoning("r2"), said("assistant", "Two rooms")],
    ];
    assert.deepEqual(await limited(items, 7), items.slice(1));
    for (const limit of [6, 5, 4, 3, 2]) {
      assert.deepEqual(await limited(items, limit), items.slice(6), `${limit}`);
    }
    assert.deepEqual(await limited(items, 1), []);
  });

  it("gives halves of pairs in some conversation", () =>
    fc.assert(
      fc.asyncProperty(conversation(), fc.nat(30), async (turns, limit) => {
        const items = turns.flatMap(({ calls, thinks, text }, i) => [
          said("user", text),
          ...(thinks ? [reasoning(`r${i}`)] : []),
          ...calls.map((n) => call(`${i}.${n}`)),
          ...[...calls].reverse().map((n) => result(`${i}.${n}`)),
          said("assistant", text),
        ]);
        const found = await limited(items, limit);
        assert.ok(found.length <= limit);
        const kinds = found.map((item) => item.type);
        assert.notEqual(kinds.at(-1), "reasoning");
        const idsOf = (type: string) =>
          found.flatMap((item) =>
            item.type === type ? [(item as { callId: string }).callId] : [],
          );
        assert.deepEqual(idsOf("function_call").sort(), idsOf("function_call_result").sort());
        // They are a part of what there is, in its order, up to the newest.
        const texts = items.map((item) => JSON.stringify(item));
        let from = 0;
        for (const item of found) {
          from = texts.indexOf(JSON.stringify(item), from) + 1;
          assert.ok(from > 0);
        }
        if (found.length > 0) assert.deepEqual(found.at(-1), items.at(-1));
      }),
      { numRuns: 40 },
    ));
});

describe("a tool's result comes without its call", () => {
  // run-llama/LlamaIndexTS: messages that leave the short-term memory carry calls beside their text.
  it("in LlamaIndex's memory", () =>
    withMemory(async (memory) => {
      const block = new DentateMemoryBlock({ memory, recall: { budget: 60 } });
      const rain = (id: string) => ({
        id,
        role: "user" as const,
        content: `Rain in Oslo, day ${id}`,
      });
      const called = { toolCall: [{ id: "c1", name: "search", input: { of: "flats" } }] };
      const result = "two rooms near the zebra crossing";
      const answered = { toolResult: { id: "c1", result, isError: false } };
      await block.put([{ id: "1", role: "assistant", content: "", options: called }]);
      // What is said between them has no place in the text, and so nothing but the id leads back.
      await block.put(Array.from({ length: 12 }, (_, i) => rain(`${i}`)));
      await block.put([{ id: "2", role: "user", content: result, options: answered }]);
      await block.put(Array.from({ length: 40 }, (_, i) => rain(`2${i}`)));
      const [found] = await block.get([{ id: "q", role: "user", content: "the zebra crossing?" }]);
      assert.match(String(found?.content), /assistant search: \{"of":"flats"\}\n/);
      assert.match(String(found?.content), /\ntool: two rooms near the zebra crossing\n/);
    }));
});

/** Some facts, of which one is asked for, and much that is not. */
async function remember(memory: Memory): Promise<void> {
  await memory.add({ role: "user", speaker: "Ana", content: "The bees are on the roof." });
  for (let i = 0; i < 60; i++) {
    await memory.add({ role: "user", speaker: "Ben", content: `The train ${i} was late again.` });
  }
}

const partsOf = (text: string) => ({ format: 2 as const, parts: [{ type: "text", text }] });
const textIn = (parts: readonly { text?: string }[]) => parts.map(({ text }) => text).join("");

/** What a model is asked at each step: roles, and the message with what was recalled. */
async function promptsOf(
  middleware: ReturnType<typeof memoryMiddleware>,
  prompt: string,
  steps = 1,
): Promise<{ recalled: string; roles: string[] }[]> {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  let step = 0;
  const mock = new MockLanguageModelV3({
    doGenerate: async () => {
      const isLast = ++step === steps;
      return {
        content: isLast
          ? [{ type: "text", text: "On the roof." }]
          : [{ type: "tool-call", toolCallId: `c${step}`, toolName: "look", input: "{}" }],
        finishReason: {
          ...(isLast ? { unified: "stop", raw: "stop" } : { unified: "tool-calls", raw: "calls" }),
        },
        usage,
        warnings: [],
      };
    },
  });
  const look = tool({
    inputSchema: jsonSchema({ type: "object" }),
    execute: async () => "nothing",
  });
  await generateText({
    model: wrapLanguageModel({ model: mock, middleware }),
    prompt,
    tools: { look },
    stopWhen: stepCountIs(steps + 1),
  });
  return mock.doGenerateCalls.map(({ prompt: messages }) => {
    const message = messages.find(({ content }) => JSON.stringify(content).includes("<recalled>"));
    const parts = Array.isArray(message?.content) ? message.content : [];
    const recalled = textIn(parts as { text?: string }[]);
    return { recalled, roles: messages.map(({ role }) => role) };
  });
}

function conversation() {
  return fc.array(
    fc.record({
      text: fc.constantFrom("yes", "no", "later"),
      thinks: fc.boolean(),
      calls: fc.subarray([1, 2, 3]),
    }),
    { minLength: 1, maxLength: 8 },
  );
}
