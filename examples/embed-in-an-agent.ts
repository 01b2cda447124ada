// A chat that remembers across restarts: what is recalled goes into the prompt, what is said goes into
// the memory, and what was recalled is not stored again.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bank, Memory } from "dentate";

type Model = (prompt: string) => Promise<string>;

/** Your model goes here. This one knows nothing but its prompt. */
const model: Model = async (prompt) => {
  const [, dog] = /my dog is called (\w+)/i.exec(prompt) ?? [];
  if (!prompt.trimEnd().endsWith("?")) return "I'll remember that.";
  return dog === undefined ? "I don't know." : `Your dog is called ${dog}.`;
};

/** One turn of a chat. `session` is the conversation: order within it counts for recall. */
async function reply(bank: Bank, session: string, question: string): Promise<string> {
  const { text } = await bank.recall(question, { budget: 800, marked: true });
  const prompt = `${text}\n\n${question}`;
  const answer = await model(prompt);
  await bank.addMany(
    [
      { role: "user", content: prompt, session },
      { role: "assistant", content: answer, session },
    ],
    { stripRecalled: true }, // what lies between <recalled> and </recalled> is there already
  );
  return answer;
}

const directory = await mkdtemp(join(tmpdir(), "dentate-example-"));
try {
  for (const [session, question, expected] of [
    ["monday", "By the way, my dog is called Biscuit.", /remember/],
    ["friday", "What is my dog called?", /Biscuit/],
  ] as const) {
    const memory = await Memory.open(directory); // as after a restart
    try {
      assert.match(await reply(memory.bank("user-42"), session, question), expected);
    } finally {
      await memory.close();
    }
  }
  const memory = await Memory.open(directory, { readOnly: true });
  const said = await memory.bank("user-42").list();
  await memory.close();
  assert.equal(said.filter(({ content }) => content.includes("Biscuit")).length, 2);
  console.log(`remembered over a restart, in ${said.length} entries: ${said.at(-1)?.content}`);
} finally {
  await rm(directory, { recursive: true });
}
