import { fullContext, none, random, recency } from "./baselines.js";
import { dpMeans, onlineKMeans, streamingProto } from "./clusterings.js";
import { hippocampusPaper } from "./hippocampus-paper.js";
import { hippocampus, hybrid } from "./hybrid.js";
import { budgetRag, rsm } from "./rsm.js";
import type { Strategy } from "./strategy.js";

/** Every strategy that a recall can name. */
export const STRATEGIES = [
  "hybrid",
  "hippocampus",
  "hippocampus-paper",
  "rsm",
  "budget-rag",
  "streaming-proto",
  "online-k-means",
  "dp-means",
  "full-context",
  "recency",
  "random",
  "none",
] as const;

/** One of {@link STRATEGIES}. */
export type StrategyName = (typeof STRATEGIES)[number];

const BY_NAME: Readonly<Record<StrategyName, Strategy>> = {
  hybrid,
  hippocampus,
  "hippocampus-paper": hippocampusPaper,
  rsm,
  "budget-rag": budgetRag,
  "streaming-proto": streamingProto,
  "online-k-means": onlineKMeans,
  "dp-means": dpMeans,
  "full-context": fullContext,
  recency,
  random,
  none,
};

export function strategyNamed(name: StrategyName): Strategy {
  return BY_NAME[name];
}
