import { type Bank, Memory, type MemoryOptions } from "../../src/index.js";
import type { Conversation } from "./dataset.js";

/** A conversation in a memory of the product, taken in as far as its questions have come. */
export interface IngestedBank {
  readonly bank: Bank;
  /** How long each add took so far, in ms. */
  readonly addMs: readonly number[];
  /** Adds the turns that are not in yet, up to the first `count`. */
  addUpTo(count: number): Promise<void>;
  /** The index of the turn that an entry is. */
  turnOf(id: string): number;
}

/** The memories of one conversation: strategies that open theirs alike share one. */
export class Ingested {
  readonly #conversation: Conversation;
  readonly #banks = new Map<string, Promise<{ memory: Memory; bank: IngestedBank }>>();

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  async bank(options: MemoryOptions): Promise<IngestedBank> {
    const key = JSON.stringify(options);
    let found = this.#banks.get(key);
    if (found === undefined) {
      found = open(this.#conversation, options);
      this.#banks.set(key, found);
    }
    return (await found).bank;
  }

  async close(): Promise<void> {
    for (const opened of this.#banks.values()) await (await opened).memory.close();
    this.#banks.clear();
  }
}

async function open({ id, turns }: Conversation, options: MemoryOptions) {
  const memory = await Memory.open({ ...options, inMemory: true });
  const bank = memory.bank(id);
  const addMs: number[] = [];
  const indexes = new Map<string, number>();
  let isIndexed = true;
  return {
    memory,
    bank: {
      bank,
      addMs,
      async addUpTo(count: number) {
        for (let index = addMs.length; index < count; index++) {
          const start = performance.now();
          const added = await bank.add(turns[index]!.turn);
          addMs.push(performance.now() - start);
          indexes.set(added.id, index);
          isIndexed = false;
        }
        // Chunks are made in the background: a bench waits, so that every run finds the same.
        if (!isIndexed) await bank.indexed();
        isIndexed = true;
      },
      turnOf: (entry: string) => indexes.get(entry)!,
    },
  };
}
