import { Accountant } from "../../src/pack/accountant.js";
import { pack, type Ranked } from "../../src/pack/pack.js";
import { packerNamed } from "../../src/pack/packers.js";
import { loadTokenizer } from "../../src/text/tokenizer.js";
import { type Conversation, knownAt } from "./dataset.js";
import { line, type Packed } from "./outcome.js";
import type { Answer, Strategy } from "./strategy.js";

/** Ranks all turns of one conversation for a question, best first. */
export interface Ranker {
  readonly addMs: readonly number[];
  /** Takes in what is not in yet of the first `count` turns; absent where all are in from the start. */
  addUpTo?(count: number): Promise<void>;
  rank(question: string): readonly number[] | Promise<readonly number[]>;
  /** How long the last ranking took, where that is not what asking for it took. */
  readonly lastMs?: number | undefined;
  close?(): Promise<void>;
}

/** A ranking that is not the product's, packed by the product's own packer and budget accountant. */
export function packedRanker(
  name: string,
  open: (conversation: Conversation) => Ranker | Promise<Ranker>,
): Strategy {
  const tokenizer = loadTokenizer();
  return {
    name,
    async open(conversation) {
      const ranker = await open(conversation);
      const candidates = conversation.turns.map(({ checked }, ordinal) => ({
        ordinal,
        ...checked,
      }));
      const tokens = candidates.map(({ content }) => tokenizer.count(content));
      return {
        addMs: ranker.addMs,
        async answer({ question, at, known = candidates.length }, budgets): Promise<Answer> {
          await ranker.addUpTo?.(known);
          const start = performance.now();
          const order = await ranker.rank(question);
          const ranking = knownAt(
            order.filter((turn) => turn < known),
            conversation.turns,
            at,
          );
          const rankMs = ranker.lastMs ?? performance.now() - start;
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
            const turns = new Map(
              result.packed.map(({ rank, entry }) => [ranking[rank]!, line(entry)]),
            );
            packed.set(String(budget), { turns, text: result.text, tokens: result.tokens });
          }
          return { ranking, packed, recallMs };
        },
        async close() {
          await ranker.close?.();
        },
      };
    },
  };
}
