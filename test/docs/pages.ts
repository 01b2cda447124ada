/**
 * How the JavaScript of each page is checked. All blocks of a page are one program: a later block sees
 * what an earlier one declared, and may declare it anew. Unless its page is here, that program is run, in
 * an empty folder, and has to end well.
 */
export interface Page {
  /** Put before the page's first block: what the page takes for granted. */
  readonly given?: string;
  /** Checked for its types alone: it wants a model, a GPU, a service, or names of the reader's own. */
  readonly typesOnly?: boolean;
}

const MEMORY = `import { Memory } from "dentate"; const memory = await Memory.open({ inMemory: true });`;
const BANK = `${MEMORY} const bank = memory.bank("user-42");`;

export const PAGES: Readonly<Record<string, Page>> = {
  "docs/accelerators.md": {
    given: `import { Memory } from "dentate"; declare const rows: Float32Array, queries: Float32Array;`,
    typesOnly: true,
  },
  "docs/adapters.md": {
    given: `${MEMORY}
      import { run } from "@openai/agents-core";
      import { wrapLanguageModel, type LanguageModel } from "ai";
      import { createMemory } from "@llamaindex/core/memory";
      import { Annotation, StateGraph } from "@langchain/langgraph";
      declare const agent: Parameters<typeof run>[0]; declare const question: string;
      declare const openai: (name: string) => Exclude<LanguageModel, string> & { specificationVersion: "v3" };
      const State = Annotation.Root({ said: Annotation<string> });
      const builder = new StateGraph(State).addNode("n", () => ({})).addEdge("__start__", "n");`,
    typesOnly: true,
  },
  "docs/embedders.md": {
    given: `import { openAiEmbedder } from "dentate/embed";`,
    typesOnly: true,
  },
  "docs/guides/move-from-mem0.md": { given: `import MemoryClient from "mem0ai";`, typesOnly: true },
  "docs/observability.md": { typesOnly: true },
  "docs/recall.md": { given: `${BANK} const question = "Where does she live?";` },
  "docs/service.md": { given: `import MemoryClient from "mem0ai";`, typesOnly: true },
  "docs/storage.md": { given: `import { Memory } from "dentate";` },
};

/** Packages that only their adapters' own tests install. */
export const AMBIENT = [
  "mem0ai",
  "mem0ai/oss",
  "@mastra/core",
  "@mastra/core/agent",
  "@mastra/core/vector",
  "@opentelemetry/sdk-node",
];
