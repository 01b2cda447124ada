import { setTimeout as passing } from "node:timers/promises";

/** One call of what is measured; the number of the call tells calls apart. */
export type Call = (i: number) => Promise<unknown>;

/** Milliseconds of each of `count` calls that `callers` make, each its next one when its last is answered. */
export async function closedLoop(callers: number, count: number, call: Call): Promise<number[]> {
  const took: number[] = [];
  let next = 0;
  const caller = async () => {
    while (next < count) {
      const started = performance.now();
      await call(next++);
      took.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return took;
}

/**
 * Milliseconds of each of `count` calls, which come at a fixed rate whether those before are answered or
 * not, counted from the moment when each was to be sent. A caller that waited for its last answer before
 * it asked again would leave out just the calls that a slow moment holds up ("coordinated omission";
 * G. Tene, "How NOT to Measure Latency", 2013).
 */
export async function openLoop(rate: number, count: number, call: Call): Promise<number[]> {
  const took: number[] = [];
  const calls: Promise<void>[] = [];
  const began = performance.now();
  const dueAt = (i: number) => began + (1000 * i) / rate;
  const make = async (i: number) => {
    await call(i);
    took.push(performance.now() - dueAt(i));
  };
  while (calls.length < count) {
    while (calls.length < count && dueAt(calls.length) <= performance.now()) {
      calls.push(make(calls.length));
    }
    await passing(1);
  }
  await Promise.all(calls);
  return took;
}
