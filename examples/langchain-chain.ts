// A chain of LangChain: its context is what a recall packs into the budget, and its conversation is kept.

import assert from "node:assert/strict";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { RunnableLambda, RunnablePassthrough } from "@langchain/core/runnables";
import { Memory } from "dentate";
import { DentateChatMessageHistory, DentateRetriever } from "dentate/langchain";

/** In place of a chat model: says what the context says about the rent. */
const model = RunnableLambda.from(async (messages: BaseMessage[]) => {
  const prompt = messages.map(({ text }) => text).join("\n");
  return new AIMessage(/rent is \d+ euros/.exec(prompt)?.[0] ?? "I don't know.");
});

const memory = await Memory.open({ inMemory: true });
try {
  const history = new DentateChatMessageHistory({ memory, bank: "ana", sessionId: "monday" });
  await history.addUserMessage("I found a flat in Alfama, and the rent is 900 euros.");
  await history.addMessage(new AIMessage("Congratulations!"));

  const retriever = new DentateRetriever({ memory, bank: "ana", budget: 300 });
  const chain = RunnablePassthrough.assign({
    context: async ({ question }: { question: string }) => {
      const [document] = await retriever.invoke(question); // the packed text, as one document
      return document?.pageContent ?? "";
    },
  })
    .pipe(ChatPromptTemplate.fromTemplate("What you remember:\n{context}\n\n{question}"))
    .pipe(RunnableLambda.from((prompt) => prompt.toChatMessages()))
    .pipe(model)
    .pipe(new StringOutputParser());

  const answer = await chain.invoke({ question: "What does Ana pay for her flat?" });
  assert.equal(answer, "rent is 900 euros");
  console.log(`the chain answers: ${answer}`);
} finally {
  await memory.close();
}
