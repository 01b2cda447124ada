import { Latency } from "../lib/latency.js";
import { progress } from "../lib/progress.js";
import type { Row } from "../lib/row.js";
import type { LanguageModel } from "../llm/client.js";
import { type AnswerKind, judged } from "../llm/judged.js";
import { mean } from "./bootstrap.js";
import type { Conversation, Dataset, Question } from "./dataset.js";
import { Ingested } from "./ingested.js";
import { Means } from "./metrics.js";
import type { Outcome } from "./outcome.js";
import type { MemoryCounts, Reader, Strategy } from "./strategy.js";

/** One strategy on one data set: its scores, question by question, and its times. */
export class Measured {
  readonly name: string;
  readonly means = new Means();
  readonly recall = new Latency();
  readonly add = new Latency();
  /** By conversation: so that a clustering that chains is seen at once. */
  readonly memories: MemoryCounts[] = [];
  /** By metric: the standard deviation of its means over the seeds, where there are several. */
  readonly spread = new Map<string, number>();

  constructor(name: string) {
    this.name = name;
  }

  /** The same strategy with several seeds: each question's mean, and how far the seeds' means lie apart. */
  static merged(name: string, runs: readonly Measured[]): Measured {
    const all = new Measured(name);
    const [first] = runs;
    for (const run of runs) {
      all.recall.addAll(run.recall);
      all.add.addAll(run.add);
      all.memories.push(...run.memories);
    }
    for (const metric of first?.means.metrics ?? []) {
      for (const question of first!.means.values(metric).keys()) {
        const values = runs.flatMap(({ means }) => means.values(metric).get(question) ?? []);
        const score = { metric, value: mean(values), unit: first!.means.unit(metric) };
        all.means.add(question, first!.means.category(question), [score]);
      }
      if (runs.length > 1)
        all.spread.set(metric, deviation(runs.map((r) => r.means.mean(metric)!)));
    }
    return all;
  }

  rows(): Row[] {
    return [
      ...this.means.rows(this.name),
      ...[...this.spread].map(([metric, value]) => ({
        name: this.name,
        metric: `${metric} sd of seeds`,
        value,
        unit: this.means.unit(metric),
      })),
      ...this.#memoryRows(),
      ...this.recall.rows(this.name, "recall", "ms"),
      ...this.add.rows(this.name, "add", "ms"),
    ];
  }

  #memoryRows(): Row[] {
    if (this.memories.length === 0) return [];
    const clustered = this.memories.filter(({ chunks }) => chunks > 0);
    const shares = clustered.map(({ chunks, largest }) => (100 * largest) / chunks);
    const row = (metric: string, value: number, unit: string) => ({
      name: this.name,
      metric,
      value,
      unit,
    });
    const bytes = mean(this.memories.map(({ bytesPerInputByte }) => bytesPerInputByte));
    const memory = row("bytes-per-input-byte", bytes, "ratio");
    if (clustered.length === 0) return [memory];
    return [
      memory,
      row("chunks", mean(clustered.map(({ chunks }) => chunks)), "a bank"),
      row("atoms", mean(clustered.map(({ atoms }) => atoms)), "a bank"),
      row("largest-atom", mean(shares), "% of chunks"),
      row("largest-atom-most", Math.max(...shares), "% of chunks"),
    ];
  }
}

/**
 * Asks every strategy every question, a conversation at a time: what strategies can share of taking
 * one in, they share.
 *
 * @param model Answers from what each strategy packed, where the set says how that is scored.
 * @returns in the order of `strategies`.
 */
export async function measure(
  strategies: readonly Strategy[],
  data: Dataset,
  budgets: readonly number[],
  model?: LanguageModel,
): Promise<Measured[]> {
  const measured = strategies.map(({ name }) => new Measured(name));
  const total = data.conversations.reduce((sum, { questions }) => sum + questions.length, 0);
  const bar = progress("questions", total * strategies.length);
  let asked = 0;
  const judge = async (
    means: Means,
    number: number,
    kind: AnswerKind,
    question: Question,
    { packed }: Outcome,
  ) => {
    for (const [budget, { text }] of packed) {
      means.add(number, question.category, await judged(model!, kind, question, text, budget));
    }
    bar.step();
  };
  try {
    for (const conversation of data.conversations) {
      if (conversation.questions.length === 0) continue;
      const ingested = new Ingested(conversation);
      const readers: Reader[] = [];
      const verdicts = new Pending();
      try {
        for (const strategy of strategies)
          readers.push(await strategy.open(conversation, ingested));
        for (const question of conversation.questions) {
          for (const [i, reader] of readers.entries()) {
            const answer = await reader.answer(question, budgets, data.rankingBudget);
            const scores = data.score(conversation, question, answer);
            measured[i]!.means.add(asked, question.category, scores);
            for (const ms of answer.recallMs) measured[i]!.recall.record(ms);
            if (model === undefined || data.answers === undefined) bar.step();
            else verdicts.add(judge(measured[i]!.means, asked, data.answers, question, answer));
          }
          asked++;
        }
        await verdicts.all();
        for (const [i, reader] of readers.entries()) {
          for (const ms of reader.addMs) measured[i]!.add.record(ms);
          const memory = await reader.memory?.();
          if (memory !== undefined) measured[i]!.memories.push(memory);
        }
      } finally {
        for (const reader of readers) await reader.close();
        await ingested.close();
      }
    }
  } finally {
    bar.stop();
  }
  return measured;
}

/** The standard deviation of a sample. */
function deviation(values: readonly number[]): number {
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}

/** Work under way that is waited for later: what fails meanwhile is thrown then. */
class Pending {
  readonly #work: Promise<void>[] = [];

  add(work: Promise<void>): void {
    work.catch(() => undefined);
    this.#work.push(work);
  }

  async all(): Promise<void> {
    await Promise.all(this.#work);
  }
}

/** The set's counts, as rows. */
export function datasetRows({ conversations, questionsLeftOut, evidenceLeftOut }: Dataset): Row[] {
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
