// A model of the AI SDK with a memory: the middleware puts what was said before into the prompt, and
// keeps what is said now.

import assert from "node:assert/strict";
import { generateText, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { Memory } from "dentate";
import { memoryMiddleware } from "dentate/ai-sdk";

/** In place of a provider's model, e.g. openai("gpt-5"): answers from its prompt, and nothing else. */
const provider = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const [allergy] = /allergic to \w+/.exec(JSON.stringify(prompt)) ?? ["nothing I know of"];
    return {
      content: [{ type: "text", text: allergy }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    };
  },
});

const memory = await Memory.open({ inMemory: true });
try {
  const ask = async (session: string, prompt: string) => {
    const middleware = memoryMiddleware({ memory, bank: "ana", session, recall: { budget: 500 } });
    const { text } = await generateText({
      model: wrapLanguageModel({ model: provider, middleware }),
      prompt,
    });
    return text;
  };
  await ask("monday", "I'm allergic to walnuts, so please keep that in mind.");
  const answer = await ask("friday", "What must not be in Ana's cake?");
  assert.equal(answer, "allergic to walnuts");
  console.log(`the model was told on Monday, and says on Friday: ${answer}`);
} finally {
  await memory.close();
}
