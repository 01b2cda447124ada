import { stemmer } from "stemmer";

/**
 * How LoCoMo's official evaluation compares an answer with the gold one (Maharana et al., ACL 2024):
 * commas dropped, lower case, punctuation stripped, articles and "and" dropped, Porter stems, and F1
 * over the multiset of words.
 */
export function normalised(text: string): string[] {
  return text
    .replace(/,/g, "")
    .toLowerCase()
    .replace(/[!-/:-@[-`{-~]/g, "")
    .replace(/\b(?:a|an|the|and)\b/g, " ")
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => stemmer(word));
}

export function f1(answer: string, gold: string): number {
  const wanted = normalised(gold);
  const given = normalised(answer);
  const common = overlap(given, wanted);
  if (common === 0) return 0;
  const precision = common / given.length;
  const recall = common / wanted.length;
  return (2 * precision * recall) / (precision + recall);
}

/** F1 of an answer that lists several things: the mean, over the gold ones, of the best match. */
export function listF1(answer: string, gold: string): number {
  const given = answer.split(",");
  const wanted = gold.split(",");
  const best = wanted.map((one) => Math.max(...given.map((other) => f1(other.trim(), one.trim()))));
  return best.reduce((sum, value) => sum + value, 0) / best.length;
}

/** By LoCoMo's categories: 1 is a list, of 3 the first alternative counts, 5 wants a refusal. */
export function locomoF1(answer: string, gold: string, category: string): number {
  switch (category) {
    case "multi-hop":
      return listF1(answer, gold);
    case "open-domain":
      return f1(answer, gold.split(";")[0]!.trim());
    case "adversarial":
      return /no information available|not mentioned/i.test(answer) ? 1 : 0;
    default:
      return f1(answer, gold);
  }
}

/**
 * BLEU with unigrams alone: the share of the answer's words that the gold one has, each as often as it
 * has it, less what a short answer is penalised by. Source: K. Papineni et al., ACL 2002.
 */
export function bleu1(answer: string, gold: string): number {
  const given = words(answer);
  const wanted = words(gold);
  if (given.length === 0) return 0;
  const penalty = given.length >= wanted.length ? 1 : Math.exp(1 - wanted.length / given.length);
  return (penalty * overlap(given, wanted)) / given.length;
}

const words = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** How many words two texts share, each as often as both have it. */
function overlap(given: readonly string[], wanted: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of given) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    common++;
  }
  return common;
}
