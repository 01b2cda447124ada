// What recall finds on labelled conversations, with no LLM: does the packed text hold what answers?
// Each data set's metrics are defined beside its reader in bench/quality.

import { type Command, Option } from "commander";
import { RETRIEVAL_RULES, type RetrievalRule } from "../src/atoms/retrieval.js";
import { EMBEDDER_SPECS, openEmbedderSpec } from "../src/embed/embedder-spec.js";
import { PACKERS, type PackerName } from "../src/pack/packers.js";
import { writeText } from "./lib/files.js";
import { integer, list, oneOf, positiveInteger } from "./lib/options.js";
import { type Row, type SuiteOptions, UsageError } from "./lib/row.js";
import { endpointFromEnvironment } from "./llm/client.js";
import { type Counter, quarterOfLength } from "./quality/bm25-reference.js";
import { comparisonRows } from "./quality/compare-strategies.js";
import type { ReadOptions } from "./quality/dataset.js";
import { DATASETS, type DatasetName, readDataset } from "./quality/datasets.js";
import { datasetRows, Measured, measure } from "./quality/measure.js";
import { headlineMetrics, intervalRows, markdownTable, qualityChart } from "./quality/present.js";
import { type Selection, SHARES, select } from "./quality/share.js";
import { makeStrategy, STRATEGIES, type StrategyName, seedsOf } from "./quality/strategies.js";

export interface QualityOptions extends SuiteOptions, Selection, ReadOptions {
  readonly dataset: DatasetName;
  readonly path: string;
  readonly strategies: readonly StrategyName[];
  readonly budgets: readonly number[];
  readonly seed: number;
  readonly seeds: number;
  readonly o200k: boolean;
  readonly charsBy4: boolean;
  readonly markdown?: string;
  readonly svg?: string;
  readonly llm?: string;
  readonly packer?: PackerName;
  readonly retrieveBy?: RetrievalRule;
  readonly retrieveK?: number;
  readonly embedder?: string;
  readonly embeddingCache?: string;
  readonly chunkTurns?: number;
}

/** With --quick: enough questions to see every category. */
const QUICK_LIMIT = 60;

export function configure(command: Command): void {
  command
    .addOption(
      new Option("--dataset <name>", "layout of the data").choices(DATASETS).makeOptionMandatory(),
    )
    .requiredOption("--path <path>", "the labelled conversations: a file, or a folder of files")
    .option("--dialogues <file>", "LoCoMo's own file, for locomo-plus")
    .option("--strategies <names>", `of ${STRATEGIES.join(", ")}`, list(oneOf(STRATEGIES)), [
      "bm25-reference",
    ] as StrategyName[])
    .option("--budgets <tokens>", "token budgets", list(positiveInteger), [1300, 2600, 4000])
    .option("--seed <n>", "the first seed of strategies that have one", integer, 1)
    .option("--seeds <n>", "how many seeds those are measured with", positiveInteger, 1)
    .addOption(
      new Option("--share <half>", "every other conversation, or the others").choices(SHARES),
    )
    .option("--every <n>", "only every n-th conversation", positiveInteger)
    .option("--limit <n>", "only so many questions, evenly spaced", positiveInteger)
    .option("--o200k", "bm25-reference counts o200k_base tokens, not chars/4", false)
    .option("--chars-by-4", "the product's strategies count chars/4, not o200k_base tokens", false)
    .option("--piece-chars <n>", "size of the pieces of AMA's bm25-reference", positiveInteger, 800)
    .addOption(new Option("--packer <name>", "of the product's strategies").choices(PACKERS))
    .addOption(new Option("--retrieve-by <rule>", "of rsm").choices(RETRIEVAL_RULES))
    .option("--retrieve-k <n>", "how many atoms rsm takes", positiveInteger)
    .option("--embedder <what>", `of the product's strategies: ${EMBEDDER_SPECS}`)
    .option("--embedding-cache <folder>", "keep that model's vectors, and look them up, here")
    .option("--chunk-turns <n>", "turns of a chunk", positiveInteger)
    .option("--llm <model>", "also have this model of OPENAI_BASE_URL read and judge")
    .option("--markdown <file>", "also write a table with 95% intervals to this file")
    .option("--svg <file>", "also write a chart of quality against tokens to this file");
}

export async function run(options: SuiteOptions): Promise<Row[]> {
  const { dataset, path, strategies, budgets, seed, seeds, o200k, ...rest } =
    options as QualityOptions;
  const limit = rest.limit ?? (options.quick ? QUICK_LIMIT : undefined);
  const data = select(readDataset(dataset, path, rest), { ...rest, limit });
  const recall = {
    ...(rest.packer === undefined ? {} : { packer: rest.packer }),
    ...(rest.retrieveBy === undefined ? {} : { retrieveBy: rest.retrieveBy }),
    ...(rest.retrieveK === undefined ? {} : { retrieveK: rest.retrieveK }),
    ...(rest.charsBy4 ? { countTokens: quarterOfLength } : {}),
  };
  const counter: Counter = o200k ? "o200k" : "chars/4";
  const opened =
    rest.embedder === undefined
      ? undefined
      : await openEmbedderSpec("--embedder", rest.embedder, {
          directory: rest.embeddingCache,
        });
  const memory = { embedder: opened?.embedder, chunkTurns: rest.chunkTurns };
  const settings = { counter, rule: data.reference, recall, memory } as const;
  const made = strategies.flatMap((name) =>
    seedsOf(name, seed, seeds).map((one) => makeStrategy(name, { ...settings, seed: one })),
  );
  if (rest.llm !== undefined && data.answers === undefined) {
    throw new UsageError(`no scores of a language model are defined for ${dataset}`);
  }
  const model = rest.llm === undefined ? undefined : endpointFromEnvironment(rest.llm);
  const runs = await measure(made, data, budgets, model).finally(() => opened?.close());
  const measured = strategies.map((name) =>
    Measured.merged(
      name,
      runs.filter((one) => one.name === name),
    ),
  );
  const metrics = headlineMetrics(measured, data.headlines, budgets);
  if (rest.markdown !== undefined) writeText(rest.markdown, markdownTable(measured, metrics));
  if (rest.svg !== undefined) {
    const title = `${dataset}: ${measured[0]!.means.questions} questions`;
    writeText(rest.svg, qualityChart(title, measured, data.headlines[0]!, budgets));
  }
  return [
    ...datasetRows(data),
    ...measured.flatMap((one) => one.rows()),
    ...intervalRows(measured, metrics),
    ...comparisonRows(measured, metrics),
  ];
}
