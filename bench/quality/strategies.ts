import type { MemoryOptions, RecallOptions } from "../../src/index.js";
import { bm25Rag } from "./bm25-rag.js";
import { bm25Reference, type Counter } from "./bm25-reference.js";
import type { ReferenceRule } from "./dataset.js";
import { engineStrategy } from "./engine.js";
import { random } from "./random.js";
import type { Strategy } from "./strategy.js";

export interface StrategySettings {
  /** Of the strategy `random`. */
  readonly seed: number;
  /** How `bm25-reference` counts; all others count o200k_base. */
  readonly counter: Counter;
  /** What `bm25-reference` follows. */
  readonly rule: ReferenceRule;
  /** Of every recall of the product's strategies. */
  readonly recall: Pick<RecallOptions, "packer" | "retrieveBy" | "retrieveK" | "countTokens">;
  /** Of the memories of those that need no special one. */
  readonly memory: Pick<MemoryOptions, "embedder" | "chunkTurns">;
}

/** The papers' other clusterings, packed as their authors' baselines are: one list by relevance. */
function clusters(name: "streaming-proto" | "online-k-means" | "dp-means") {
  return ({ recall, memory }: StrategySettings) =>
    engineStrategy(name, name, { memory, recall: { packer: "flat", ...recall } });
}

/** All of them pack with the product's packer and budget accountant, except `bm25-reference`. */
const MAKERS = {
  hybrid: ({ recall, memory }) => engineStrategy("hybrid", "hybrid", { recall, memory }),
  hippocampus: ({ recall, memory }) =>
    engineStrategy("hippocampus", "hippocampus", { recall, memory }),
  // The paper's search: random-indexing signatures, and an entry must have every keyword.
  "hippocampus-paper": () =>
    engineStrategy("hippocampus-paper", "hippocampus-paper", {
      memory: { encoder: "random-indexing" },
      keywords: 2,
    }),
  rsm: ({ recall, memory }) =>
    engineStrategy("rsm", "rsm", { memory, recall: { packer: "atoms", ...recall } }),
  "budget-rag": ({ recall, memory }) =>
    engineStrategy("budget-rag", "budget-rag", { memory, recall: { packer: "flat", ...recall } }),
  "streaming-proto": clusters("streaming-proto"),
  "online-k-means": clusters("online-k-means"),
  "dp-means": clusters("dp-means"),
  "bm25-rag": bm25Rag,
  "bm25-reference": ({ counter, rule }) => bm25Reference(counter, rule),
  "full-context": () => engineStrategy("full-context", "full-context", { whole: true }),
  recency: () => engineStrategy("recency", "recency"),
  random: ({ seed }) => random(seed),
  none: () => engineStrategy("none", "none"),
} as const satisfies Record<string, (settings: StrategySettings) => Strategy>;

export type StrategyName = keyof typeof MAKERS;

export const STRATEGIES = Object.keys(MAKERS) as StrategyName[];

/** What comes out otherwise with another seed. */
const SEEDED: ReadonlySet<StrategyName> = new Set<StrategyName>(["random"]);

/** The seeds that a strategy is worth measuring with: `count` of them from `first`, or one alone. */
export function seedsOf(name: StrategyName, first: number, count: number): number[] {
  return Array.from({ length: SEEDED.has(name) ? count : 1 }, (_, i) => first + i);
}

export function makeStrategy(name: StrategyName, settings: StrategySettings): Strategy {
  return MAKERS[name](settings);
}
