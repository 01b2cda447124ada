// The same turns and questions in memory engines of others: time to add and to recall, tokens, and what
// is found. Their packages are installed into bench/peers/engines when the bench is first run; an engine
// that cannot be installed or run is reported with its reason.

import { type Command, Option } from "commander";
import { writeText } from "./lib/files.js";
import { list, oneOf, positiveInteger } from "./lib/options.js";
import { installPeers } from "./lib/peers.js";
import type { Row, SuiteOptions } from "./lib/row.js";
import { comparisonRows } from "./quality/compare-strategies.js";
import type { Dataset } from "./quality/dataset.js";
import { DATASETS, type DatasetName, readDataset } from "./quality/datasets.js";
import { datasetRows, type Measured, measure } from "./quality/measure.js";
import { ENGINES, type EngineName, peerEngine } from "./quality/peer-engines.js";
import { headlineMetrics, markdownTable } from "./quality/present.js";
import { type Selection, SHARES, select } from "./quality/share.js";
import { makeStrategy } from "./quality/strategies.js";
import type { Strategy } from "./quality/strategy.js";

export interface PeersOptions extends SuiteOptions, Selection {
  readonly dataset: DatasetName;
  readonly path: string;
  readonly dialogues?: string;
  readonly engines: readonly EngineName[];
  readonly budgets: readonly number[];
  readonly markdown?: string;
}

const QUICK_LIMIT = 60;

export function configure(command: Command): void {
  command
    .addOption(
      new Option("--dataset <name>", "layout of the data").choices(DATASETS).makeOptionMandatory(),
    )
    .requiredOption("--path <path>", "the labelled conversations: a file, or a folder of files")
    .option("--dialogues <file>", "LoCoMo's own file, for locomo-plus")
    .option("--engines <names>", `of ${ENGINES.join(", ")}`, list(oneOf(ENGINES)), [...ENGINES])
    .option("--budgets <tokens>", "token budgets", list(positiveInteger), [1300, 2600, 4000])
    .addOption(
      new Option("--share <half>", "every other conversation, or the others").choices(SHARES),
    )
    .option("--every <n>", "only every n-th conversation", positiveInteger)
    .option("--limit <n>", "only so many questions, evenly spaced", positiveInteger)
    .option("--markdown <file>", "also write the table to this file");
}

export async function run(options: SuiteOptions): Promise<Row[]> {
  const { dataset, path, dialogues, engines, budgets, markdown, ...rest } = options as PeersOptions;
  const limit = rest.limit ?? (options.quick ? QUICK_LIMIT : undefined);
  const read = { pieceChars: 800, ...(dialogues === undefined ? {} : { dialogues }) };
  const data = select(readDataset(dataset, path, read), { ...rest, limit });
  const own = (["hybrid", "bm25-rag"] as const).map((name) =>
    makeStrategy(name, { seed: 1, counter: "o200k", rule: data.reference, recall: {}, memory: {} }),
  );
  const measured = await measure(own, data, budgets);
  const rows = datasetRows(data);
  const notInstalled = engines.length === 0 ? undefined : installPeers("engines");
  for (const name of engines) {
    const result = notInstalled ?? (await tried(peerEngine(name), data, budgets));
    if (typeof result !== "string") measured.push(result);
    else {
      process.stderr.write(`peers: ${name} was not run: ${result.slice(0, 500)}\n`);
      rows.push({ name: `${name} (not run)`, metric: reason(result), value: 0, unit: "questions" });
    }
  }
  const metrics = headlineMetrics(measured, data.headlines, budgets);
  if (markdown !== undefined) writeText(markdown, markdownTable(measured, metrics));
  return [
    ...rows,
    ...measured.flatMap((one) => one.rows().filter(({ name }) => !name.includes("/"))),
    ...comparisonRows(measured, metrics),
  ];
}

/** What an engine came to, or why it could not be run: another one's fault must not end the bench. */
async function tried(
  strategy: Strategy,
  data: Dataset,
  budgets: readonly number[],
): Promise<Measured | string> {
  try {
    const [measured] = await measure([strategy], data, budgets);
    return measured!;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const reason = (text: string) => text.split("\n")[0]!.slice(0, 120);
