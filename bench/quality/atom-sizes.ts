import type { AtomPolicy } from "../../src/structures/atom-index.js";
import type { Row } from "../lib/row.js";
import { mean } from "./bootstrap.js";
import { atomSizes, thresholdOf } from "./clustered.js";
import type { Conversation } from "./dataset.js";

/** So that a clustering that chains is seen at once: one atom then holds most of the chunks. */
export function atomSizeRows(
  conversations: readonly Conversation[],
  clusterings: readonly AtomPolicy[],
  threshold: number | undefined,
): Row[] {
  const used = conversations.map((conversation) => thresholdOf(conversation, threshold));
  return [
    { name: "threshold", metric: "mean", value: mean(used), unit: "cosine" },
    ...clusterings.flatMap((clustering) => sizeRowsOf(conversations, clustering, threshold)),
  ];
}

function sizeRowsOf(
  conversations: readonly Conversation[],
  clustering: AtomPolicy,
  threshold: number | undefined,
): Row[] {
  const settings = { clustering, packer: "flat", threshold, seed: 1 } as const;
  const sizes = conversations.map((conversation) => atomSizes(conversation, settings));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const chunks = sum(sizes.map(sum));
  const atoms = sum(sizes.map(({ length }) => length));
  const all = sizes.flat();
  const share = (count: number) => (100 * count) / Math.max(1, chunks);
  const row = (metric: string, value: number, unit: string) => ({
    name: `atoms of ${clustering}`,
    metric,
    value,
    unit,
  });
  const largest = sizes.map((own) => (own.length === 0 ? 0 : (100 * own[0]!) / sum(own)));
  return [
    row("chunks", chunks, "count"),
    row("atoms", atoms, "count"),
    row("chunks in atoms of one", share(all.filter((size) => size === 1).length), "%"),
    row("chunks in atoms of 2 to 5", share(sum(all.filter((s) => s > 1 && s <= 5))), "%"),
    row("chunks in atoms of 6 to 20", share(sum(all.filter((s) => s > 5 && s <= 20))), "%"),
    row("chunks in larger atoms", share(sum(all.filter((size) => size > 20))), "%"),
    row("share of the largest atom, mean", sum(largest) / Math.max(1, largest.length), "%"),
    row("share of the largest atom, most", Math.max(0, ...largest), "%"),
  ];
}
