/**
 * Lets the event loop breathe. Work on the JavaScript thread that is done "at once", such as an add,
 * resolves its promise at once too, so that a program with many of them under way never leaves its
 * microtasks, and its timers and sockets starve. So the work of one turn of the event loop is counted
 * here: after 1 ms, what comes next waits for the next turn, in the order in which it came.
 *
 *   if (sliceIsOver()) await nextSlice();
 *
 * The count is the process's, or the worker's: there is one event loop for all memories. Invariant:
 * while anything waits, what comes later waits behind it, so two adds never change places.
 */

const SLICE_MS = 1;

let began: number | undefined;
const waiting: (() => void)[] = [];

/** Whether this turn of the event loop has done enough. */
export function sliceIsOver(): boolean {
  if (waiting.length > 0) return true;
  if (began !== undefined) return performance.now() - began > SLICE_MS;
  began = performance.now();
  setImmediate(startSlice);
  return false;
}

/** Resolves when the work that waited before it is done, in a slice with time left. */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
  });
}

function startSlice(): void {
  if (waiting.length === 0) {
    began = undefined;
    return;
  }
  began = performance.now();
  setImmediate(startSlice);
  release();
}

/** One at a time: the work of the one released runs before the microtask that looks again. */
function release(): void {
  waiting.shift()?.();
  if (waiting.length === 0) return;
  queueMicrotask(() => {
    if (performance.now() - began! <= SLICE_MS) release();
  });
}
