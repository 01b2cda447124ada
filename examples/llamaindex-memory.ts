// LlamaIndex's memory with Dentate as its long-term block: what no longer fits the short-term memory
// moves there, and comes back when it is asked for.

import assert from "node:assert/strict";
import { createMemory } from "@llamaindex/core/memory";
import { Memory } from "dentate";
import { DentateMemoryBlock } from "dentate/llamaindex";

const memory = await Memory.open({ inMemory: true });
try {
  const block = new DentateMemoryBlock({ memory, bank: "ana", recall: { budget: 80 } });
  const chat = createMemory({
    tokenLimit: 120,
    shortTermTokenLimitRatio: 0.3,
    memoryBlocks: [block],
  });
  await chat.add({ role: "user", content: "Ana keeps bees on the roof of the library." });
  for (let train = 1; train <= 8; train++) {
    await chat.add({ role: "user", content: `Let us talk about train number ${train} instead.` });
    await chat.getLLM(); // what an agent asks for before each call of its model
  }
  await chat.add({ role: "user", content: "Where does Ana keep bees?" });
  const messages = await chat.getLLM();
  const recalled = messages.find(({ role }) => role === "memory");
  assert.match(String(recalled?.content), /bees on the roof/);
  console.log(`long-term memory came back among ${messages.length} messages`);
} finally {
  await memory.close();
}
