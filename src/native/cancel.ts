import { DentateError } from "../errors.js";

/**
 * Runs a task that polls `flag`, and sets it when `signal` fires. The promise rejects at once then:
 * the task may wait for a turn that is long in coming, and ends by itself when it sees the flag.
 *
 * @throws {@link DentateError} `DENTATE_ABORTED`, with the signal's reason as `cause`.
 */
export async function withCancel<T>(
  signal: AbortSignal | undefined,
  run: (flag: Int32Array | undefined) => Promise<T>,
): Promise<T> {
  if (signal === undefined) return run(undefined);
  const aborted = () =>
    new DentateError("DENTATE_ABORTED", "the operation was aborted", { cause: signal.reason });
  if (signal.aborted) throw aborted();
  const flag = new Int32Array(1);
  let giveUp: () => void = () => {};
  const given = new Promise<never>((_, reject) => {
    giveUp = () => reject(aborted());
  });
  const onAbort = () => {
    Atomics.store(flag, 0, 1);
    giveUp();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([run(flag), given]);
  } catch (error) {
    throw signal.aborted ? aborted() : error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
