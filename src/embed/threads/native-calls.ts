/**
 * Whether a thread is in native code that must not be cut off. When a process ends, Node stops its threads
 * wherever they are; onnxruntime-node answers that with abort(), and a program that meant to exit with 0 dumps
 * core. So a thread says when it is in a call, and who ends the process waits for the end of it, and lets no
 * other begin.
 *
 *   IDLE ⇄ CALLING   by the thread        IDLE → ENDED   by the process, for good
 *
 * What is left: a worker thread that has an embedder, and is terminated from outside, hears nothing of it.
 */
const IDLE = 0;
const CALLING = 1;
const ENDED = 2;
/** A batch takes less than a second, unless the machine is overloaded. */
const LONGEST_WAIT_MS = 10_000;

const running = new Set<Int32Array>();
let listens = false;

/** For a new thread: what {@link duringCall} wants. It is shared with that thread. */
export function watchCalls(): Int32Array {
  const state = new Int32Array(new SharedArrayBuffer(4));
  running.add(state);
  if (!listens) process.once("exit", endCalls);
  listens = true;
  return state;
}

/** The thread has ended. */
export function forgetCalls(state: Int32Array): void {
  running.delete(state);
}

/** Runs a call of native code; once the process ends, it never begins. */
export async function duringCall<T>(state: Int32Array, call: () => Promise<T> | T): Promise<T> {
  if (Atomics.compareExchange(state, 0, IDLE, CALLING) !== IDLE) return new Promise(() => {});
  try {
    return await call();
  } finally {
    Atomics.store(state, 0, IDLE);
    Atomics.notify(state, 0);
  }
}

function endCalls(): void {
  for (const state of running) {
    while (Atomics.compareExchange(state, 0, IDLE, ENDED) === CALLING) {
      if (Atomics.wait(state, 0, CALLING, LONGEST_WAIT_MS) === "timed-out") break;
    }
  }
}
