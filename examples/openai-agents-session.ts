// A session of the OpenAI Agents SDK that outlives its process, and whose words can be recalled by any
// other agent of the same user.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Agent,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Runner,
  Usage,
} from "@openai/agents-core";
import { Memory } from "dentate";
import { DentateSession } from "dentate/openai-agents";

/** In place of a model: says how many items it was given. */
const model: Model = {
  async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
    const text = `I was given ${input.length} items.`;
    const message = {
      type: "message" as const,
      role: "assistant" as const,
      status: "completed" as const,
      content: [{ type: "output_text" as const, text }],
    };
    return { usage: new Usage(), output: [message] };
  },
  getStreamedResponse() {
    throw new Error("not streamed");
  },
};

const directory = await mkdtemp(join(tmpdir(), "dentate-example-"));
try {
  const answers: (string | undefined)[] = [];
  for (const question of ["My train leaves at 07:42.", "When does my train leave?"]) {
    const memory = await Memory.open(directory); // as after a restart
    try {
      const session = new DentateSession(memory, { sessionId: "chat-7", bank: "ana" });
      const agent = new Agent({ name: "assistant", model });
      const runner = new Runner({ tracingDisabled: true });
      answers.push((await runner.run(agent, question, { session })).finalOutput);
    } finally {
      await memory.close();
    }
  }
  // The second run's model was given the first run's question and answer too.
  assert.deepEqual(answers, ["I was given 1 items.", "I was given 3 items."]);
  const memory = await Memory.open(directory, { readOnly: true });
  const { text } = await memory.bank("ana").recall("When is the train?", { budget: 100 });
  await memory.close();
  assert.match(text, /07:42/);
  console.log(`the session goes on after a restart: ${answers[1]}`);
} finally {
  await rm(directory, { recursive: true });
}
