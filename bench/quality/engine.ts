import type { MemoryOptions, Recall, RecallOptions, StrategyName } from "../../src/index.js";
import { memoizedValue } from "../../src/internal/memoized.js";
import type { Conversation } from "./dataset.js";
import { letters, line, type Packed } from "./outcome.js";
import { rarestWords } from "./rarest-words.js";
import type { Answer, Strategy } from "./strategy.js";

export interface EngineSettings {
  readonly memory?: MemoryOptions;
  /** Of every recall. */
  readonly recall?: RecallOptions;
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
  { memory: options = {}, recall: always = {}, keywords, whole = false }: EngineSettings = {},
): Strategy {
  return {
    name,
    async open(conversation, ingested) {
      const { turns } = conversation;
      const { bank, addMs, addUpTo, turnOf } = await ingested.bank(options);
      const rarest = keywords === undefined ? undefined : rarestWords(conversation);
      const recall = async (question: string, settings: RecallOptions): Promise<Recall> => {
        const asked = { ...always, ...settings, strategy };
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
        async answer({ question, at, known = turns.length }, budgets, rankingBudget) {
          await addUpTo(known);
          const packed = new Map<string, Packed>();
          const recallMs: number[] = [];
          const ask = async (budget: number) => {
            const start = performance.now();
            const found = await recall(question, { budget, at });
            const ms = performance.now() - start;
            return { packed: packedOf(conversation, found, turnOf), ms };
          };
          for (const budget of budgets) {
            const { packed: within, ms } = await ask(budget);
            packed.set(String(budget), within);
            recallMs.push(ms);
          }
          if (whole) packed.set("full", (await ask(Number.MAX_SAFE_INTEGER)).packed);
          const ranking =
            rankingBudget === 0
              ? []
              : [...(await ask(Math.max(rankingBudget, ...budgets))).packed.turns.keys()];
          return { ranking, packed, recallMs } satisfies Answer;
        },
        async memory() {
          const { chunks, atoms, largestAtom, bytes } = await bank.stats();
          const input = turns
            .slice(0, addMs.length)
            .reduce((sum, { checked }) => sum + Buffer.byteLength(checked.content), 0);
          return { chunks, atoms, largest: largestAtom, bytesPerInputByte: bytes / input };
        },
        close: async () => undefined,
      };
    },
  };
}

/** What a recall packed, by turn, best first. A piece counts only where its words are in the text. */
function packedOf(
  { id, turns }: Conversation,
  { items, text, tokens }: Recall,
  turnOf: (entry: string) => number,
): Packed {
  const packed = new Map<number, string>();
  const searched = memoizedValue(() => letters(text));
  for (const { id: entry, content, pieces } of items) {
    const index = turnOf(entry);
    const { id: turn, checked } = turns[index]!;
    const parts = pieces.map(([start, end]) => content.slice(start, end));
    for (const part of parts) {
      if (!text.includes(part) && !isIn(letters(part), searched())) {
        throw new Error(`recall lists turn "${turn}" of "${id}", but its text isn't packed`);
      }
    }
    packed.set(index, line({ ...checked, content: parts.join(" … ") }));
  }
  return { turns: packed, text, tokens };
}

const WINDOW = 64;
/** Of a piece's windows: pieces of two atoms may touch, and then lie apart in the text. */
const MOST = 0.75;

/** Whether what is packed of a piece is all there, be it in several places. */
function isIn(piece: string, text: string): boolean {
  if (text.includes(piece)) return true;
  const count = Math.floor(piece.length / WINDOW);
  const found = Array.from({ length: count }, (_, i) => piece.slice(i * WINDOW, (i + 1) * WINDOW));
  return count > 0 && found.filter((part) => text.includes(part)).length >= MOST * count;
}
