// What recall finds on labelled conversations, with no LLM: does the packed text hold the turns
// that answer? Metrics are defined in bench/quality/metrics.ts.

import { type Command, Option } from "commander";
import { Latency } from "./lib/latency.js";
import { integer, list, oneOf, positiveInteger } from "./lib/options.js";
import { progress } from "./lib/progress.js";
import { type Row, type SuiteOptions, UsageError } from "./lib/row.js";
import type { Conversation, Dataset } from "./quality/dataset.js";
import { readGeneric } from "./quality/generic.js";
import { readLocomo } from "./quality/locomo.js";
import { Means } from "./quality/metrics.js";
import { makeStrategy, STRATEGIES, type StrategyName } from "./quality/strategies.js";
import type { Strategy } from "./quality/strategy.js";

const READERS = { locomo: readLocomo, generic: readGeneric } as const;
type DatasetName = keyof typeof READERS;

export interface QualityOptions extends SuiteOptions {
  readonly dataset: DatasetName;
  readonly path: string;
  readonly strategies: readonly StrategyName[];
  readonly budgets: readonly number[];
  readonly seed: number;
  readonly limit?: number;
  readonly o200k: boolean;
}

/** With --quick: enough questions to see every category. */
const QUICK_LIMIT = 60;

export function configure(command: Command): void {
  command
    .addOption(
      new Option("--dataset <name>", "layout of the file")
        .choices(Object.keys(READERS))
        .makeOptionMandatory(),
    )
    .requiredOption("--path <file>", "the labelled conversations")
    .option("--strategies <names>", `of ${STRATEGIES.join(", ")}`, list(oneOf(STRATEGIES)), [
      "bm25-reference",
    ] as StrategyName[])
    .option("--budgets <tokens>", "token budgets", list(positiveInteger), [1300, 2600, 4000])
    .option("--seed <n>", "of the strategy random", integer, 1)
    .option("--limit <n>", "only so many questions, evenly spaced", positiveInteger)
    .option("--o200k", "bm25-reference counts o200k_base tokens, not chars/4", false);
}

export async function run(options: SuiteOptions): Promise<Row[]> {
  const { dataset, path, strategies, budgets, seed, o200k, ...rest } = options as QualityOptions;
  const limit = rest.limit ?? (options.quick ? QUICK_LIMIT : undefined);
  const data = thin(READERS[dataset](path), limit);
  const rows = datasetRows(data);
  for (const name of strategies) {
    const strategy = makeStrategy(name, { seed, counter: o200k ? "o200k" : "chars/4" });
    rows.push(...(await measure(strategy, data.conversations, budgets)));
  }
  return rows;
}

async function measure(
  strategy: Strategy,
  conversations: readonly Conversation[],
  budgets: readonly number[],
): Promise<Row[]> {
  const means = new Means();
  const recall = new Latency();
  const add = new Latency();
  const bar = progress(
    strategy.name,
    conversations.reduce((sum, { questions }) => sum + questions.length, 0),
  );
  try {
    for (const conversation of conversations) {
      if (conversation.questions.length === 0) continue;
      const reader = await strategy.open(conversation);
      try {
        for (const ms of reader.addMs) add.record(ms);
        for (const question of conversation.questions) {
          const answer = await reader.answer(question, budgets);
          means.add(conversation, question, answer);
          for (const ms of answer.recallMs) recall.record(ms);
          bar.step();
        }
      } finally {
        await reader.close();
      }
    }
  } finally {
    bar.stop();
  }
  return [
    ...means.rows(strategy.name),
    ...recall.rows(strategy.name, "recall", "ms", [50, 95]),
    ...add.rows(strategy.name, "add", "ms", [50, 95]),
  ];
}

/** Keeps at most `limit` questions, evenly spaced over the whole set. */
function thin(data: Dataset, limit: number | undefined): Dataset {
  const total = data.conversations.reduce((sum, { questions }) => sum + questions.length, 0);
  if (total === 0) throw new UsageError("the data set has no question with evidence");
  if (limit === undefined || limit >= total) return data;
  let seen = 0;
  const conversations = data.conversations.map((conversation) => ({
    ...conversation,
    questions: conversation.questions.filter(() => {
      const position = seen++;
      return Math.floor(((position + 1) * limit) / total) > Math.floor((position * limit) / total);
    }),
  }));
  return { ...data, conversations };
}

function datasetRows({ conversations, questionsLeftOut, evidenceLeftOut }: Dataset): Row[] {
  const sum = (count: (conversation: Conversation) => number) =>
    conversations.reduce((total, conversation) => total + count(conversation), 0);
  const counts = {
    conversations: conversations.length,
    turns: sum(({ turns }) => turns.length),
    questions: sum(({ questions }) => questions.length),
    "questions-left-out": questionsLeftOut,
    "evidence-left-out": evidenceLeftOut,
  };
  return Object.entries(counts).map(([metric, value]) => ({
    name: "dataset",
    metric,
    value,
    unit: "count",
  }));
}
