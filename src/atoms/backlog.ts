/** How many turns an indexer is behind what was added: of each bank, and of all. */
export class Backlog {
  readonly #turnsOf = new Map<string, number>();
  #turns = 0;

  get turns(): number {
    return this.#turns;
  }

  /** Turns of the bank that may have no chunk yet. */
  turnsOf(bank: string): number {
    return this.#turnsOf.get(bank) ?? 0;
  }

  added(bank: string, turns: number): void {
    if (turns > 0) this.#set(bank, this.turnsOf(bank) + turns);
  }

  /** So many of them have a chunk, need none, or may still be joined by more. */
  settled(bank: string, turns: number): void {
    this.#set(bank, Math.max(0, this.turnsOf(bank) - turns));
  }

  #set(bank: string, turns: number): void {
    this.#turns += turns - this.turnsOf(bank);
    if (turns === 0) this.#turnsOf.delete(bank);
    else this.#turnsOf.set(bank, turns);
  }
}
