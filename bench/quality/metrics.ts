import type { Row } from "../lib/row.js";
import type { Conversation, Question } from "./dataset.js";

/** What a strategy found and packed for one question within one budget. */
export interface Packed {
  /** Indexes of the turns whose lines are in the packed text. */
  readonly turns: ReadonlySet<number>;
  /** Tokens of the packed text, headers counted. */
  readonly tokens: number;
}

/** A strategy's answer to one question: indexes of turns, best first, and what was packed. */
export interface Outcome {
  readonly ranking: readonly number[];
  /** By budget; `full` where there was none. */
  readonly packed: ReadonlyMap<string, Packed>;
}

interface Sum {
  sum: number;
  count: number;
  readonly unit: string;
}

export const TURN_CUTS = [5, 10, 25];
export const SESSION_CUTS = [1, 5, 10];

/**
 * The means of one strategy's metrics, over all questions and over each category.
 *
 *   evidence-complete@B   share of questions whose every evidence turn is in the text of <= B tokens
 *   evidence-recall@B     mean share of a question's evidence turns in that text
 *   tokens@B              mean tokens of that text
 *   R@k                   mean share of the evidence turns among the k best
 *   any@k, all@k          share of questions with one, with every, evidence turn among the k best
 *   session-any@k, ...    the same of sessions, each at the rank of its best turn
 */
export class Means {
  readonly #sums = new Map<string, Map<string, Sum>>();

  add(conversation: Conversation, question: Question, outcome: Outcome): void {
    const { evidence, category } = question;
    const add = (metric: string, value: number, unit: string) => {
      for (const group of ["", `/${category}`]) this.#add(group, metric, value, unit);
    };
    for (const [budget, { turns, tokens }] of outcome.packed) {
      const found = evidence.filter((turn) => turns.has(turn)).length;
      add(`evidence-complete@${budget}`, found === evidence.length ? 100 : 0, "%");
      add(`evidence-recall@${budget}`, (100 * found) / evidence.length, "%");
      add(`tokens@${budget}`, tokens, "tokens");
    }
    for (const k of TURN_CUTS) {
      const recall = recallAt(evidence, outcome.ranking, k);
      if (k === 10) add("R@10", 100 * recall, "%");
      add(`any@${k}`, recall > 0 ? 100 : 0, "%");
      add(`all@${k}`, recall === 1 ? 100 : 0, "%");
    }
    const sessionOf = (turn: number) => conversation.turns[turn]!.checked.session;
    const sessions = [...new Set(evidence.map(sessionOf))];
    const ranked = [...new Set(outcome.ranking.map(sessionOf))];
    for (const k of SESSION_CUTS) {
      const recall = recallAt(sessions, ranked, k);
      add(`session-any@${k}`, recall > 0 ? 100 : 0, "%");
      add(`session-all@${k}`, recall === 1 ? 100 : 0, "%");
    }
  }

  /** The rows, all questions first; a category's name follows the strategy's after a slash. */
  rows(strategy: string): Row[] {
    return [...this.#sums].flatMap(([group, metrics]) => [
      ...[...metrics].map(([metric, { sum, count, unit }]) => ({
        name: `${strategy}${group}`,
        metric,
        value: sum / count,
        unit,
      })),
      {
        name: `${strategy}${group}`,
        metric: "questions",
        value: Math.max(0, ...[...metrics.values()].map(({ count }) => count)),
        unit: "count",
      },
    ]);
  }

  #add(group: string, metric: string, value: number, unit: string): void {
    const metrics = this.#sums.get(group) ?? new Map<string, Sum>();
    this.#sums.set(group, metrics);
    const entry = metrics.get(metric) ?? { sum: 0, count: 0, unit };
    entry.sum += value;
    entry.count++;
    metrics.set(metric, entry);
  }
}

/** The share of `wanted` among the first k of `ranked`. */
function recallAt<T>(wanted: readonly T[], ranked: readonly T[], k: number): number {
  const best = new Set(ranked.slice(0, k));
  return wanted.filter((item) => best.has(item)).length / wanted.length;
}
