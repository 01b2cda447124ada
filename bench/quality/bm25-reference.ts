import { loadTokenizer } from "../../src/text/tokenizer.js";
import { Bm25 } from "./bm25.js";
import { knownAt, type LabelledTurn } from "./dataset.js";
import type { Packed } from "./metrics.js";
import type { Strategy } from "./strategy.js";

/** How the reference counts tokens: a quarter of the UTF-16 units, or o200k_base. */
export type Counter = "chars/4" | "o200k";

/**
 * The reference that defines the metrics: BM25 over turns, and a packer of its own that groups by
 * session, a header line each, and stops at the first turn that doesn't fit. Its figures are known,
 * so a harness that measures them right is measuring right.
 */
export function bm25Reference(counter: Counter): Strategy {
  const tokenizer = loadTokenizer();
  const count = (text: string) =>
    counter === "o200k" ? tokenizer.count(text) : Math.ceil(text.length / 4);
  return {
    name: "bm25-reference",
    async open({ turns }) {
      const lines = turns.map(line);
      const bm25 = new Bm25(lines);
      const costs = lines.map((text) => count(`${text}\n`));
      const headers = new Map(
        turns.map(({ checked, date }) => [checked.session, count(`## ${date}\n`)]),
      );
      const pack = (ranking: readonly number[], budget: number): Packed => {
        const packed = new Set<number>();
        const sessions = new Set<string>();
        let tokens = 0;
        for (const index of ranking) {
          const { session } = turns[index]!.checked;
          const header = sessions.has(session) ? 0 : headers.get(session)!;
          if (tokens + costs[index]! + header > budget) break;
          tokens += costs[index]! + header;
          packed.add(index);
          sessions.add(session);
        }
        return { turns: packed, tokens };
      };
      return {
        addMs: [],
        async answer({ question, at }, budgets) {
          const start = performance.now();
          const ranking = knownAt(bm25.rank(question), turns, at);
          const rankMs = performance.now() - start;
          const packed = new Map<string, Packed>();
          const recallMs = budgets.map((budget) => {
            const packStart = performance.now();
            packed.set(String(budget), pack(ranking, budget));
            return rankMs + performance.now() - packStart;
          });
          return { ranking, packed, recallMs };
        },
        async close() {},
      };
    },
  };
}

/** A turn as a line of text: what is ranked, and what is packed. */
export function line({ checked: { speaker, content } }: LabelledTurn): string {
  return speaker === undefined ? content : `${speaker}: ${content}`;
}
