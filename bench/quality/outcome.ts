/** What a strategy packed for one question within one budget. */
export interface Packed {
  /** By index of a turn: what of it is in the text, its label in front; all pieces of it together. */
  readonly turns: ReadonlyMap<number, string>;
  readonly text: string;
  /** Tokens of the text, headers counted. */
  readonly tokens: number;
}

/** A strategy's answer to one question: indexes of turns, best first, and what was packed. */
export interface Outcome {
  readonly ranking: readonly number[];
  /** By budget; `full` where there was none. */
  readonly packed: ReadonlyMap<string, Packed>;
}

/** One metric of one answer. */
export interface Score {
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
}

export const percent = (metric: string, share: number): Score => ({
  metric,
  value: 100 * share,
  unit: "%",
});

/** A label and what was said: how a turn stands in a packed text. */
export function line(turn: { speaker: string | undefined; role: string; content: string }): string {
  return `${turn.speaker ?? turn.role}: ${turn.content}`;
}

/** Letters and digits alone: what imitates a header is escaped in a packed text. */
export const letters = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "");

/** Whether all of a turn's content is in what was packed of it. */
export function isWhole(packed: string | undefined, content: string): boolean {
  return (
    packed !== undefined && (packed.endsWith(content) || letters(packed).includes(letters(content)))
  );
}

/** The share of `wanted` among the first k of `ranked`. */
export function recallAt<T>(wanted: readonly T[], ranked: readonly T[], k: number): number {
  const best = new Set(ranked.slice(0, k));
  return wanted.filter((item) => best.has(item)).length / wanted.length;
}
