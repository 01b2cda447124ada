// The papers' two-by-three: how chunks are clustered, times how they are packed, all else the same.
// On AMA-Bench or RealMem, whose metrics are defined in bench/quality; no LLM.
//
// What these metrics cannot see: the order of the packed text, its headers, and what stands beside
// what. The paper's gain by atom-aware packing (+5.02) was judged by an LLM, which reads all of that;
// here a packer shows only in what fits into the budget.

import { type Command, Option } from "commander";
import { RETRIEVAL_RULES, type RetrievalRule } from "../src/atoms/retrieval.js";
import { writeText } from "./lib/files.js";
import { cosine, list, oneOf, positiveInteger } from "./lib/options.js";
import type { Row, SuiteOptions } from "./lib/row.js";
import { asMarkdown } from "./lib/table.js";
import { atomSizeRows } from "./quality/atom-sizes.js";
import { type ClusteredSettings, clustered } from "./quality/clustered.js";
import { compareOn } from "./quality/compare-strategies.js";
import { readDataset } from "./quality/datasets.js";
import { datasetRows, Measured, measure } from "./quality/measure.js";
import { headlineMetrics, intervalRows, markdownTable } from "./quality/present.js";
import { type Selection, SHARES, select } from "./quality/share.js";

const CLUSTERINGS = ["max-member", "online-k-means", "dp-means"] as const;
const PACKERS = ["atoms", "flat"] as const;
const DATASETS = ["ama", "realmem"] as const;

export interface FactorialOptions extends SuiteOptions, Selection {
  readonly dataset: (typeof DATASETS)[number];
  readonly path: string;
  readonly budgets: readonly number[];
  readonly packers: readonly (typeof PACKERS)[number][];
  readonly seeds: number;
  readonly threshold?: number;
  readonly retrieveBy?: RetrievalRule;
  readonly markdown?: string;
}

const NOTE =
  "coverage cannot see order, headers or grouping: the paper's packing gain was judged by an LLM";
const QUICK_LIMIT = 60;

export function configure(command: Command): void {
  command
    .addOption(
      new Option("--dataset <name>", "layout of the data").choices(DATASETS).makeOptionMandatory(),
    )
    .requiredOption("--path <path>", "the labelled conversations: a file, or a folder of files")
    .option("--budgets <tokens>", "token budgets", list(positiveInteger), [2600, 4000, 5000])
    .option("--packers <names>", `of ${PACKERS.join(", ")}`, list(oneOf(PACKERS)), [...PACKERS])
    .option("--seeds <n>", "seeds of k-means' starts", positiveInteger, 4)
    .addOption(new Option("--retrieve-by <rule>", "how atoms are found").choices(RETRIEVAL_RULES))
    .option(
      "--threshold <cosine>",
      "from which on chunks belong together; unless given, found in each conversation's first 64",
      cosine,
    )
    .addOption(
      new Option("--share <half>", "every other conversation, or the others").choices(SHARES),
    )
    .option("--every <n>", "only every n-th conversation", positiveInteger)
    .option("--limit <n>", "only so many questions, evenly spaced", positiveInteger)
    .option("--markdown <file>", "also write the tables to this file");
}

export async function run(options: SuiteOptions): Promise<Row[]> {
  const { dataset, path, budgets, packers, seeds, threshold, ...rest } =
    options as FactorialOptions;
  const limit = rest.limit ?? (options.quick ? QUICK_LIMIT : undefined);
  const data = select(readDataset(dataset, path, { pieceChars: 800 }), { ...rest, limit });
  const cells = CLUSTERINGS.flatMap((clustering) =>
    packers.map((packer) => ({ name: `${clustering}+${packer}`, clustering, packer })),
  );
  const baselines = [
    { name: "streaming-proto+flat", clustering: "streaming-proto", packer: "flat" },
    { name: "budget-rag", clustering: "none", packer: "flat" },
    { name: "max-member+grouped", clustering: "max-member", packer: "atoms", order: "relevance" },
    { name: "max-member+atoms, int8", clustering: "max-member", packer: "atoms", storage: "int8" },
  ] as const;
  const by = rest.retrieveBy === undefined ? {} : { retrieveBy: rest.retrieveBy };
  const made = [...cells, ...baselines].flatMap(({ name, ...cell }) => {
    // Only k-means has a start to choose; all the others come out the same with every seed.
    const count = cell.clustering === "online-k-means" ? seeds : 1;
    return Array.from({ length: count }, (_, i) => {
      const settings: ClusteredSettings = { ...cell, threshold, seed: i + 1, ...by };
      return clustered(name, settings);
    });
  });
  const runs = await measure(made, data, budgets);
  const measured = [...cells, ...baselines].map(({ name }) =>
    Measured.merged(
      name,
      runs.filter((one) => one.name === name),
    ),
  );
  const metrics = headlineMetrics(measured, data.headlines, budgets);
  const effects = effectsOf(measured, metrics, packers);
  process.stderr.write(`factorial: ${NOTE}\n`);
  if (rest.markdown !== undefined) {
    const lines = effects.map(({ name, metric, difference, low, high, p }) => [
      name,
      metric,
      difference.toFixed(2),
      `${low.toFixed(2)} to ${high.toFixed(2)}`,
      p.toFixed(4),
    ]);
    const head = ["effect", "metric", "points", "95% interval", "p"];
    const text = `${markdownTable(measured, metrics)}\n${asMarkdown(head, lines)}\nNote: ${NOTE}.\n`;
    writeText(rest.markdown, text);
  }
  return [
    ...datasetRows(data),
    ...atomSizeRows(data.conversations, [...CLUSTERINGS, "streaming-proto"], threshold),
    ...measured.flatMap((one) => one.rows()),
    ...intervalRows(measured, metrics),
    ...effects.flatMap(({ name, metric, difference, low, high, p }) => [
      { name, metric, value: difference, unit: "points" },
      { name, metric: `${metric} low`, value: low, unit: "points" },
      { name, metric: `${metric} high`, value: high, unit: "points" },
      { name, metric: `${metric} p`, value: p, unit: "p" },
    ]),
  ];
}

/** What one factor does while the other is fixed, and what the whole does beside the baselines. */
function effectsOf(
  measured: readonly Measured[],
  metrics: readonly string[],
  packers: readonly string[],
) {
  const named = (name: string) => measured.find((one) => one.name === name);
  const pairs: [string, string][] = [];
  for (const packer of packers) {
    pairs.push([`max-member+${packer}`, `online-k-means+${packer}`]);
    pairs.push([`max-member+${packer}`, `dp-means+${packer}`]);
  }
  for (const clustering of CLUSTERINGS) pairs.push([`${clustering}+atoms`, `${clustering}+flat`]);
  // What packing by atom does, in two: which chunks are taken, and how they are written.
  pairs.push(["max-member+atoms", "max-member+grouped"], ["max-member+grouped", "max-member+flat"]);
  for (const other of ["streaming-proto+flat", "budget-rag", "max-member+atoms, int8"]) {
    pairs.push(["max-member+atoms", other]);
  }
  return pairs.flatMap(([a, b]) => {
    const [of, less] = [named(a), named(b)];
    if (of === undefined || less === undefined) return [];
    return metrics.flatMap((metric) => {
      const found = compareOn(of, less, metric);
      return found === undefined ? [] : [{ name: `${a} - ${b}`, metric, ...found }];
    });
  });
}
