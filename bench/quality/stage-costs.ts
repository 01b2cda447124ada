import type { RecallTimings } from "../../src/index.js";
import type { StrategyName } from "../../src/recall/strategies.js";
import { Latency } from "../lib/latency.js";
import { progress } from "../lib/progress.js";
import type { Row } from "../lib/row.js";
import type { LanguageModel } from "../llm/client.js";
import { answerFrom } from "../llm/judged.js";
import { mean } from "./bootstrap.js";
import type { Dataset } from "./dataset.js";
import { Ingested } from "./ingested.js";

/** The stages of a recall, as it reports them; `search` is their sum, as the paper has it. */
const STAGES = ["keywords", "encode", "rank", "pack"] as const satisfies (keyof RecallTimings)[];

/** Questions that a process answers before it is as fast as it gets. */
const WARM_UP = 20;

/**
 * What a strategy's queries cost: `tokens-per-query`, mean; `search-time` from question to packed text,
 * its mean and percentiles, and the mean of each stage; `answer-time` of the language model, if there
 * is one; `total-time`, both.
 */
export async function costsOf(
  data: Dataset,
  strategy: StrategyName,
  budget: number,
  model: LanguageModel | undefined,
): Promise<Row[]> {
  const tokens: number[] = [];
  const stages: Record<(typeof STAGES)[number], number[]> = {
    keywords: [],
    encode: [],
    rank: [],
    pack: [],
  };
  const searches: number[] = [];
  const answers: number[] = [];
  const latency = new Latency();
  const total = data.conversations.reduce((sum, { questions }) => sum + questions.length, 0);
  const bar = progress(strategy, total);
  let cold = Math.min(WARM_UP, Math.floor(total / 2));
  try {
    for (const conversation of data.conversations) {
      if (conversation.questions.length === 0) continue;
      const ingested = new Ingested(conversation);
      try {
        const { bank, addUpTo } = await ingested.bank({});
        for (const { question, at, known = conversation.turns.length } of conversation.questions) {
          await addUpTo(known);
          const start = performance.now();
          const found = await bank.recall(question, { strategy, budget, at });
          const ms = performance.now() - start;
          bar.step();
          if (cold-- > 0) continue;
          tokens.push(found.tokens);
          searches.push(ms);
          latency.record(ms);
          for (const stage of STAGES) stages[stage].push(found.timings[stage]);
          if (model === undefined) continue;
          const asked = performance.now();
          await answerFrom(model, "phrases", question, found.text);
          answers.push(performance.now() - asked);
        }
      } finally {
        await ingested.close();
      }
    }
  } finally {
    bar.stop();
  }
  const row = (metric: string, value: number, unit: string): Row => ({
    name: strategy,
    metric,
    value,
    unit,
  });
  const search = mean(searches);
  return [
    row("tokens-per-query", mean(tokens), "tokens"),
    row("search-time", search, "ms"),
    ...STAGES.map((stage) => row(`search-time: ${stage}`, mean(stages[stage]), "ms")),
    ...latency.rows(strategy, "search-time", "ms"),
    ...(answers.length === 0 ? [] : [row("answer-time", mean(answers), "ms")]),
    row("total-time", search + (answers.length === 0 ? 0 : mean(answers)), "ms"),
  ];
}
