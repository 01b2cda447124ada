import type { Row } from "../lib/row.js";
import { mean } from "./bootstrap.js";
import type { Conversation, EvidenceQuestion } from "./dataset.js";
import { isWhole, type Outcome, percent, recallAt, type Score } from "./outcome.js";

export const TURN_CUTS = [5, 10, 25];
export const SESSION_CUTS = [1, 5, 10];

/**
 * The metrics of questions that are labelled by turns:
 *
 *   evidence-complete@B   share of questions whose every evidence turn is in the text of <= B tokens
 *   evidence-recall@B     mean share of a question's evidence turns in that text
 *   tokens@B              mean tokens of that text
 *   R@k                   mean share of the evidence turns among the k best
 *   any@k, all@k          share of questions with one, with every, evidence turn among the k best
 *   session-R@k, ...      the same of sessions, each at the rank of its best turn
 *
 * A turn of which only a part is packed does not count.
 */
export function scoreEvidence(
  { turns }: Conversation,
  { evidence }: EvidenceQuestion,
  { ranking, packed }: Outcome,
): Score[] {
  const scores: Score[] = [];
  for (const [budget, { turns: parts, tokens }] of packed) {
    const found = evidence.filter((turn) =>
      isWhole(parts.get(turn), turns[turn]!.checked.content),
    ).length;
    scores.push(
      percent(`evidence-complete@${budget}`, found === evidence.length ? 1 : 0),
      percent(`evidence-recall@${budget}`, found / evidence.length),
      { metric: `tokens@${budget}`, value: tokens, unit: "tokens" },
    );
  }
  for (const k of TURN_CUTS) {
    const recall = recallAt(evidence, ranking, k);
    scores.push(
      percent(`R@${k}`, recall),
      percent(`any@${k}`, recall > 0 ? 1 : 0),
      percent(`all@${k}`, recall === 1 ? 1 : 0),
    );
  }
  const sessionOf = (turn: number) => turns[turn]!.checked.session;
  const sessions = [...new Set(evidence.map(sessionOf))];
  return [...scores, ...scoreSessions(sessions, [...new Set(ranking.map(sessionOf))])];
}

export function scoreSessions<T>(
  wanted: readonly T[],
  ranked: readonly T[],
  cuts: readonly number[] = SESSION_CUTS,
): Score[] {
  return cuts.flatMap((k) => {
    const recall = recallAt(wanted, ranked, k);
    return [
      percent(`session-R@${k}`, recall),
      percent(`session-any@${k}`, recall > 0 ? 1 : 0),
      percent(`session-all@${k}`, recall === 1 ? 1 : 0),
    ];
  });
}

interface Values {
  readonly unit: string;
  /** By question, in the order of asking. */
  readonly byQuestion: Map<number, number>;
}

/** One strategy's scores, a question at a time, and their means over all and over each category. */
export class Means {
  readonly #metrics = new Map<string, Values>();
  readonly #categories: string[] = [];

  /** @param question Which of all questions it is: the same number for every strategy. */
  add(question: number, category: string, scores: Iterable<Score>): void {
    this.#categories[question] = category;
    for (const { metric, value, unit } of scores) {
      const values = this.#metrics.get(metric) ?? { unit, byQuestion: new Map() };
      this.#metrics.set(metric, values);
      values.byQuestion.set(question, value);
    }
  }

  get questions(): number {
    return this.#categories.length;
  }

  get metrics(): string[] {
    return [...this.#metrics.keys()];
  }

  category(question: number): string {
    return this.#categories[question] ?? "uncategorised";
  }

  unit(metric: string): string {
    return this.#metrics.get(metric)?.unit ?? "";
  }

  /** By question; those that the metric says nothing of are absent. */
  values(metric: string): ReadonlyMap<number, number> {
    return this.#metrics.get(metric)?.byQuestion ?? new Map();
  }

  mean(metric: string): number | undefined {
    const values = [...this.values(metric).values()];
    return values.length === 0 ? undefined : mean(values);
  }

  /** The rows, all questions first; a category's name follows the strategy's after a slash. */
  rows(strategy: string): Row[] {
    const categories = [undefined, ...[...new Set(this.#categories)].sort()];
    return categories.flatMap((category) => {
      const name = category === undefined ? strategy : `${strategy}/${category}`;
      const inIt = (question: number) =>
        category === undefined || this.#categories[question] === category;
      const rows: Row[] = [];
      for (const [metric, { unit, byQuestion }] of this.#metrics) {
        const values = [...byQuestion].filter(([q]) => inIt(q)).map(([, value]) => value);
        if (values.length > 0) rows.push({ name, metric, value: mean(values), unit });
      }
      const questions = Object.keys(this.#categories).map(Number).filter(inIt).length;
      return [...rows, { name, metric: "questions", value: questions, unit: "count" }];
    });
  }
}
