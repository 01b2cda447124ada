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

/** What one strategy's queries cost. */
class Costs {
  readonly #strategy: string;
  readonly #tokens: number[] = [];
  readonly #stages = new Map<string, number[]>(STAGES.map((stage) => [stage, []]));
  readonly #searches: number[] = [];
  readonly #latency = new Latency();
  readonly #answers: number[] = [];

  constructor(strategy: string) {
    this.#strategy = strategy;
  }

  addSearch(ms: number, tokens: number, timings: RecallTimings): void {
    this.#searches.push(ms);
    this.#latency.record(ms);
    this.#tokens.push(tokens);
    for (const stage of STAGES) this.#stages.get(stage)!.push(timings[stage]);
  }

  addAnswer(ms: number): void {
    this.#answers.push(ms);
  }

  rows(): Row[] {
    const row = (metric: string, value: number, unit: string): Row => ({
      name: this.#strategy,
      metric,
      value,
      unit,
    });
    const search = mean(this.#searches);
    const answer = this.#answers.length === 0 ? 0 : mean(this.#answers);
    return [
      row("tokens-per-query", mean(this.#tokens), "tokens"),
      row("search-time", search, "ms"),
      ...[...this.#stages].map(([stage, ms]) => row(`search-time: ${stage}`, mean(ms), "ms")),
      ...this.#latency.rows(this.#strategy, "search-time", "ms"),
      ...(answer === 0 ? [] : [row("answer-time", answer, "ms")]),
      row("total-time", search + answer, "ms"),
    ];
  }
}

/**
 * What queries cost: `tokens-per-query`, mean; `search-time` from question to packed text, its mean and
 * percentiles, and the mean of each stage; `answer-time` of the language model, if there is one;
 * `total-time`, both. The strategies take turns, so that what else the machine does meets all alike.
 */
export async function costsOf(
  data: Dataset,
  strategies: readonly StrategyName[],
  budget: number,
  model: LanguageModel | undefined,
): Promise<Row[]> {
  const costs = strategies.map((strategy) => new Costs(strategy));
  const total = data.conversations.reduce((sum, { questions }) => sum + questions.length, 0);
  const bar = progress("questions", total);
  const cold = Math.min(WARM_UP, Math.floor(total / 2));
  let asked = 0;
  try {
    for (const conversation of data.conversations) {
      if (conversation.questions.length === 0) continue;
      const ingested = new Ingested(conversation);
      try {
        const { bank, addUpTo } = await ingested.bank({});
        for (const { question, at, known = conversation.turns.length } of conversation.questions) {
          await addUpTo(known);
          const isCold = asked++ < cold;
          for (let step = 0; step < strategies.length; step++) {
            const turn = (asked + step) % strategies.length;
            const strategy = strategies[turn]!;
            const start = performance.now();
            const { text, tokens, timings } = await bank.recall(question, { strategy, budget, at });
            const ms = performance.now() - start;
            if (isCold) continue;
            costs[turn]!.addSearch(ms, tokens, timings);
            if (model === undefined) continue;
            const began = performance.now();
            await answerFrom(model, "phrases", question, text);
            costs[turn]!.addAnswer(performance.now() - began);
          }
          bar.step();
        }
      } finally {
        await ingested.close();
      }
    }
  } finally {
    bar.stop();
  }
  return costs.flatMap((one) => one.rows());
}
