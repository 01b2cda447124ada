import { availableParallelism } from "node:os";

/** Threads of libuv's pool. */
const POOL = 4;

/**
 * How many native searches are submitted at once. They share libuv's pool, and more of them than there
 * are processors to spare would take the JavaScript thread's own: then every timer and socket waits for
 * a time slice of the operating system. So native code runs one fewer than there are processors
 * (native/napi/search_gate.h), and one more waits there: it starts as soon as another ends, while this
 * thread is still busy with what was found before. The others wait here, and are served in the order in
 * which they came.
 */
export const MOST_SEARCHES = Math.min(POOL, Math.max(1, availableParallelism() - 1) + 1);

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
