import { availableParallelism } from "node:os";

/**
 * How many native searches run at once. They share libuv's pool, and more of them than there are
 * processors to spare would take the JavaScript thread's own: then every timer and socket waits for
 * a time slice of the operating system. Those that wait are served in the order in which they came.
 */
export const MOST_SEARCHES = Math.min(4, Math.max(1, availableParallelism() - 1));

let running = 0;
const waiting: (() => void)[] = [];

/** Runs `search` when a slot is free. */
export async function inSearchSlot<T>(search: () => Promise<T>): Promise<T> {
  if (running < MOST_SEARCHES) running++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await search();
  } finally {
    // The slot goes on to the next in line, or is free.
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}
