import {
  Memory,
  type MemoryOptions,
  type Recall,
  type RecallOptions,
  type StrategyName,
} from "../../src/index.js";
import type { Conversation } from "./dataset.js";
import type { Packed } from "./metrics.js";
import { rarestWords } from "./rarest-words.js";
import type { Answer, Strategy } from "./strategy.js";

/**
 * Where the ranking is read off: `recall` lists only what it packed, so R@k and the session metrics
 * come from a recall of their own with room for some 80 long turns.
 */
const RANKING_BUDGET = 16_000;

export interface EngineSettings {
  readonly memory?: MemoryOptions;
  /**
   * Ask for the question's rarest words, this many; where they find nothing, for one fewer, and so on
   * down to one. Without it the whole question is asked.
   */
  readonly keywords?: number;
  /** Whether to ask once more without a budget: metrics `...@full`. */
  readonly whole?: boolean;
}

/** A strategy of the product, through nothing but its public API: one bank a conversation. */
export function engineStrategy(
  name: string,
  strategy: StrategyName,
  { memory: options = {}, keywords, whole = false }: EngineSettings = {},
): Strategy {
  return {
    name,
    async open(conversation) {
      const memory = await Memory.open({ ...options, inMemory: true });
      const bank = memory.bank(conversation.id);
      const positions = new Map<string, number>();
      const addMs: number[] = [];
      for (const [position, { turn }] of conversation.turns.entries()) {
        const start = performance.now();
        const { id } = await bank.add(turn);
        addMs.push(performance.now() - start);
        positions.set(id, position);
      }
      const rarest = keywords === undefined ? undefined : rarestWords(conversation);
      const recall = async (question: string, settings: RecallOptions): Promise<Recall> => {
        const asked = { ...settings, strategy };
        if (rarest === undefined) return bank.recall(question, asked);
        const words = rarest(question, keywords ?? 0);
        let found = await bank.recall(question, { ...asked, keywords: words });
        while (found.items.length === 0 && words.length > 1) {
          words.pop();
          found = await bank.recall(question, { ...asked, keywords: words });
        }
        return found;
      };
      return {
        addMs,
        async answer({ question, at }, budgets): Promise<Answer> {
          const packed = new Map<string, Packed>();
          const recallMs: number[] = [];
          const ask = async (budget: number) => {
            const start = performance.now();
            const { items, text, tokens } = await recall(question, { budget, at });
            const ms = performance.now() - start;
            const turns = items.map(({ id }) => positions.get(id)!);
            checkPacked(conversation, turns, text);
            return { turns, tokens, ms };
          };
          for (const budget of budgets) {
            const { turns, tokens, ms } = await ask(budget);
            packed.set(String(budget), { turns: new Set(turns), tokens });
            recallMs.push(ms);
          }
          if (whole) {
            const { turns, tokens } = await ask(Number.MAX_SAFE_INTEGER);
            packed.set("full", { turns: new Set(turns), tokens });
          }
          const { turns: ranking } = await ask(Math.max(RANKING_BUDGET, ...budgets));
          return { ranking, packed, recallMs };
        },
        close: () => memory.close(),
      };
    },
  };
}

/** An item counts as packed only where its words really are in the text. */
function checkPacked({ id, turns }: Conversation, packed: readonly number[], text: string): void {
  // What imitates a header is escaped, so letters and digits alone are compared.
  const searched = letters(text);
  for (const position of packed) {
    const { id: turn, checked } = turns[position]!;
    if (!searched.includes(letters(checked.content))) {
      throw new Error(`recall lists turn "${turn}" of "${id}", but its text isn't packed`);
    }
  }
}

const letters = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "");
