export const STRATEGIES = [
  "hybrid",
  "hippocampus",
  "hippocampus-paper",
  "full-context",
  "recency",
  "random",
  "none",
] as const;
export type StrategyName = (typeof STRATEGIES)[number];
