import type { Bank } from "dentate";
import type { Message, Model, Tool } from "./model.js";

/** Tokens of memory that go into each prompt. */
const MEMORY_BUDGET = 400;

/**
 * One run of an agent: a question in, an answer out, tools called on the way. What was said and
 * done goes into the bank, so that a later run, in a new session, knows of it.
 */
export async function runAgent(
  bank: Bank,
  model: Model,
  tools: Readonly<Record<string, Tool>>,
  session: string,
  question: string,
): Promise<string> {
  // Recall before adding: the question itself is not a memory yet.
  const memory = await bank.recall(question, { budget: MEMORY_BUDGET });
  await bank.add({ role: "user", content: question, session });
  const messages: Message[] = [
    { role: "system", content: `What you remember:\n${memory.text}` },
    { role: "user", content: question },
  ];
  for (;;) {
    const reply = await model(messages);
    if (reply.toolCall === undefined) {
      await bank.add({ role: "assistant", content: reply.content, session });
      return reply.content;
    }
    const { id, name, input } = reply.toolCall;
    const tool = tools[name];
    if (tool === undefined) throw new Error(`the model called a tool that does not exist: ${name}`);
    const output = tool(input);
    await bank.add({
      role: "tool",
      toolCallId: id,
      toolName: name,
      content: `${name}(${JSON.stringify(input)}) = ${output}`,
      session,
    });
    messages.push({ role: "tool", content: output });
  }
}
