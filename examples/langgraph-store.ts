// A graph of LangGraph with Dentate as its store: a node of one run puts, a node of another finds by
// meaning. A namespace is a bank, so that one user's memories can't come up in another's run.

import assert from "node:assert/strict";
import { Annotation, type LangGraphRunnableConfig, StateGraph } from "@langchain/langgraph";
import { Memory } from "dentate";
import { DentateStore } from "dentate/langgraph";

const State = Annotation.Root({ said: Annotation<string>, known: Annotation<string[]> });

async function remember(
  { said }: typeof State.State,
  { store, configurable }: LangGraphRunnableConfig,
) {
  const namespace = ["memories", String(configurable?.["user"])];
  const found = await store!.search(namespace, { query: said, limit: 1 });
  await store!.put(namespace, crypto.randomUUID(), { text: said });
  return { known: found.map(({ value }) => String(value["text"])) };
}

const memory = await Memory.open({ inMemory: true });
try {
  const graph = new StateGraph(State)
    .addNode("remember", remember)
    .addEdge("__start__", "remember")
    .compile({ store: new DentateStore(memory) });
  const run = async (user: string, said: string) => {
    const { known } = await graph.invoke({ said }, { configurable: { user } });
    return known;
  };

  await run("ana", "My sister plays the cello");
  await run("ana", "I take the tram to work");
  const known = await run("ana", "Which instrument does my sister play?");
  assert.deepEqual(known, ["My sister plays the cello"]);
  assert.deepEqual(await run("ben", "Which instrument does my sister play?"), []);
  console.log(`Ana's graph knows: ${known[0]}; Ben's knows nothing of it`);
} finally {
  await memory.close();
}
