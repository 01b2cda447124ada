import { loadTokenizer } from "../../src/text/tokenizer.js";
import { Bm25 } from "./bm25.js";
import { knownAt, type LabelledTurn, type ReferenceRule, type ReferenceUnit } from "./dataset.js";
import { line, type Packed } from "./outcome.js";
import type { Strategy } from "./strategy.js";

/** How the reference counts tokens: a quarter of the UTF-16 units, or o200k_base. */
export type Counter = "chars/4" | "o200k";

/** Tokens as the reference scripts count them. */
export const quarterOfLength = (text: string): number => Math.ceil(text.length / 4);

/**
 * The reference that defines the metrics: BM25 over a data set's units, and a packer of its own. Its
 * figures are known, so a harness that measures them right is measuring right.
 */
export function bm25Reference(counter: Counter, rule: ReferenceRule): Strategy {
  const tokenizer = loadTokenizer();
  const count = (text: string) =>
    counter === "o200k" ? tokenizer.count(text) : quarterOfLength(text);
  return {
    name: "bm25-reference",
    async open(conversation) {
      const { turns } = conversation;
      const units = rule.units(conversation);
      const bm25 = new Bm25(units.map(({ text }) => text));
      const costs = units.map(({ text }) => count(`${text}\n`) + rule.overhead);
      const headers = new Map<string, number>();
      for (const { header } of units) {
        if (header !== undefined) headers.set(header.group, count(`${header.text}\n`));
      }
      const pack = (ranking: readonly number[], budget: number): Packed => {
        const packed: ReferenceUnit[] = [];
        const groups = new Set<string>();
        let tokens = 0;
        for (const index of ranking) {
          const { header } = units[index]!;
          const isNew = header !== undefined && !groups.has(header.group);
          const cost = costs[index]! + (isNew ? headers.get(header.group)! : 0);
          if (tokens + cost > budget) {
            if (budget - tokens < rule.endsBelow) break;
            continue;
          }
          tokens += cost;
          packed.push(units[index]!);
          if (isNew) groups.add(header.group);
        }
        return { ...joined(packed), tokens };
      };
      return {
        addMs: [],
        async answer({ question, at, known = turns.length }, budgets) {
          const start = performance.now();
          const ranking = bm25
            .rank(question, rule.ties)
            .filter((unit) => units[unit]!.turns.at(-1)! < known)
            .filter((unit) => knownAt(units[unit]!.turns, turns, at).length > 0);
          const rankMs = performance.now() - start;
          const packed = new Map<string, Packed>();
          const recallMs = budgets.map((budget) => {
            const packStart = performance.now();
            packed.set(String(budget), pack(ranking, budget));
            return rankMs + performance.now() - packStart;
          });
          const ranked = new Set(ranking.flatMap((unit) => units[unit]!.turns));
          return { ranking: [...ranked], packed, recallMs };
        },
        async close() {},
      };
    },
  };
}

function joined(units: readonly ReferenceUnit[]): Omit<Packed, "tokens"> {
  const turns = new Map<number, string>();
  for (const { text, turns: of } of units) {
    for (const turn of of) {
      const before = turns.get(turn);
      turns.set(turn, before === undefined ? text : `${before}\n${text}`);
    }
  }
  return { turns, text: units.map(({ text }) => text).join("\n") };
}

/** The rule of LoCoMo's reference: a turn is a unit, a session's date is a header, no gaps. */
export const TURNS_BY_SESSION: ReferenceRule = {
  units: ({ turns }) =>
    turns.map((turn, index) => ({
      text: referenceLine(turn),
      turns: [index],
      header: { group: turn.checked.session, text: `## ${turn.date}` },
    })),
  overhead: 0,
  ties: "earlier",
  endsBelow: Number.POSITIVE_INFINITY,
};

/** A turn as a line of text: what is ranked, and what is packed. */
export function referenceLine({ checked }: LabelledTurn): string {
  return checked.speaker === undefined ? checked.content : line(checked);
}
