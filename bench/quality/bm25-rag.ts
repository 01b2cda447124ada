import MiniSearch from "minisearch";
import { Accountant } from "../../src/pack/accountant.js";
import type { Candidate } from "../../src/pack/candidate.js";
import { pack, type Ranked } from "../../src/pack/pack.js";
import { packerNamed } from "../../src/pack/packers.js";
import { loadTokenizer } from "../../src/text/tokenizer.js";
import { stems } from "./bm25.js";
import { line } from "./bm25-reference.js";
import type { Conversation } from "./dataset.js";
import type { Packed } from "./metrics.js";
import type { Answer, Strategy } from "./strategy.js";

/**
 * The usual lexical retrieval: BM25+ by minisearch over stemmed words without stop words, packed by
 * the product's own packer and budget accountant. What no word of the question matches comes last,
 * in the order of time, so that the budget is filled.
 */
export function bm25Rag(): Strategy {
  const tokenizer = loadTokenizer();
  return {
    name: "bm25-rag",
    async open(conversation) {
      const index = new MiniSearch<{ id: number; text: string }>({
        fields: ["text"],
        tokenize: stems,
        processTerm: (term) => term,
      });
      const addMs: number[] = [];
      for (const [id, turn] of conversation.turns.entries()) {
        const start = performance.now();
        index.add({ id, text: line(turn) });
        addMs.push(performance.now() - start);
      }
      const candidates = candidatesOf(conversation);
      const tokens = candidates.map(({ content }) => tokenizer.count(content));
      return {
        addMs,
        async answer({ question }, budgets): Promise<Answer> {
          const start = performance.now();
          const found = index.search(question).map(({ id }) => id as number);
          const seen = new Set(found);
          const ranking = [...found, ...candidates.keys()].filter(
            (position, i) => i < found.length || !seen.has(position),
          );
          const rankMs = performance.now() - start;
          const ranked: Ranked = {
            count: ranking.length,
            tokensOf: (rank) => tokens[ranking[rank]!]!,
            read: (ranks) => ranks.map((rank) => candidates[ranking[rank]!]!),
          };
          const packed = new Map<string, Packed>();
          const recallMs: number[] = [];
          for (const budget of budgets) {
            const packStart = performance.now();
            const accountant = new Accountant(budget, tokenizer, undefined);
            const result = await pack(ranked, packerNamed("sessions"), accountant);
            recallMs.push(rankMs + performance.now() - packStart);
            const turns = new Set(result.packed.map(({ rank }) => ranking[rank]!));
            packed.set(String(budget), { turns, tokens: result.tokens });
          }
          return { ranking, packed, recallMs };
        },
        async close() {},
      };
    },
  };
}

function candidatesOf({ turns }: Conversation): Candidate[] {
  return turns.map(({ checked }, ordinal) => ({ ordinal, ...checked }));
}
