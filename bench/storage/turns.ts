import type { Turn } from "../../src/index.js";
import { loadTokenizer } from "../../src/text/tokenizer.js";
import type { TextSource } from "../memory/text.js";

export type TextTurn = Turn & { readonly content: string };

export interface TurnList {
  readonly turns: TextTurn[];
  readonly tokens: number;
  /** UTF-8 bytes of all contents. */
  readonly bytes: number;
}

/** Turns of about 50 tokens that don't repeat, `tokens` tokens in all. */
export function turnsOf(source: TextSource, tokens: number): TurnList {
  const tokenizer = loadTokenizer();
  const turns: TextTurn[] = [];
  let count = 0;
  let bytes = 0;
  while (count < tokens) {
    const turn = source.turn();
    turns.push(turn);
    count += tokenizer.count(turn.content);
    bytes += Buffer.byteLength(turn.content);
  }
  return { turns, tokens: count, bytes };
}

/** At a time, so that the text of ten million tokens need not be in memory at once. */
export const BATCH_TOKENS = 100_000;
