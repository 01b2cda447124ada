import type { Row } from "../lib/row.js";

/**
 * Costs a query on LoCoMo as Li et al. published them ("Hippocampus", MLSys 2026, arXiv 2602.13594;
 * 2 Xeon 8470 and 4 H100, a language model answering): tokens, and the total in seconds as read off its
 * figures. Its running text gives MemGPT 33.6 s and MemoryOS 8.1K tokens instead.
 */
const PUBLISHED: readonly (readonly [name: string, tokens: number, seconds: number])[] = [
  ["Hippocampus", 1306, 1.08],
  ["MemoryBank", 441, 1.08],
  ["MemOS", 8102, 1.21],
  ["MemoryOS", 3941, 2.3],
  ["A-Mem", 2725, 2.34],
  ["MemGPT", 16866, 6.95],
  ["ReadAgent", 1272, 33.6],
];

/** The search share of the paper's own total. */
const SEARCH_SECONDS = 0.13;

export function publishedRows(): Row[] {
  return PUBLISHED.flatMap(([system, tokens, seconds]) => {
    const name = `${system} (published, not run here)`;
    return [
      { name, metric: "tokens-per-query", value: tokens, unit: "tokens" },
      ...(system === "Hippocampus"
        ? [{ name, metric: "search-time", value: 1000 * SEARCH_SECONDS, unit: "ms" }]
        : []),
      { name, metric: "total-time", value: 1000 * seconds, unit: "ms" },
    ];
  });
}
