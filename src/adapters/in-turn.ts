import type { Memory } from "../memory.js";

/** What is under way on the banks of a memory, by name. */
const under = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Does something with a bank when what was begun before on it is over, whichever adapter began that: who looks
 * whether there is something of an id, and then adds it, must not do so twice at once. Requests make stores and
 * sessions of their own, so that an order within each would be none.
 */
export function inTurn<T>(memory: Memory, bank: string, act: () => Promise<T>): Promise<T> {
  const banks = under.get(memory) ?? new Map<string, Promise<unknown>>();
  under.set(memory, banks);
  const done = (banks.get(bank) ?? Promise.resolve()).then(act);
  const over = done.then(
    () => undefined,
    () => undefined,
  );
  banks.set(bank, over);
  void over.then(() => {
    if (banks.get(bank) === over) banks.delete(bank);
  });
  return done;
}
