import type { EncodedTurn } from "../encode-turn.js";

/** Finds the turns that were added before: from a turn's hash to the first entry of that hash. */
export class TurnIndex {
  readonly #firsts = new Map<number, number>();

  /**
   * Whether an equal turn is here already; remembers the turn if not. A hash may be a coincidence
   * (53 bits: about 1 in 10,000 banks of a million entries), so `equals` compares with the entry.
   */
  add(
    { turn, tokens }: EncodedTurn,
    session: number,
    ordinal: number,
    equals: (ordinal: number) => boolean,
  ): boolean {
    const hash = hashOf(tokens, `${session} ${turn.role} ${turn.speaker ?? ""}`);
    const first = this.#firsts.get(hash);
    if (first !== undefined) return equals(first);
    this.#firsts.set(hash, ordinal);
    return false;
  }
}

/** 53 bits, as many as a number holds: two chains of xor, multiply and shift. */
function hashOf(tokens: Uint32Array, text: string): number {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  const mix = (value: number) => {
    low = Math.imul(low ^ value, 0x9e3779b1);
    high = Math.imul(high ^ value, 0x5f356495);
    low ^= low >>> 15;
    high ^= high >>> 13;
  };
  for (const token of tokens) mix(token);
  for (let i = 0; i < text.length; i++) mix(text.charCodeAt(i));
  mix(tokens.length);
  return 2 ** 32 * (high & 0x1fffff) + (low >>> 0);
}
