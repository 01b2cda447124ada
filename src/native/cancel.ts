import { DentateError } from "../errors.js";

/**
 * Runs a native task that polls `flag`, and sets it when `signal` fires.
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
  const onAbort = () => Atomics.store(flag, 0, 1);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await run(flag);
  } catch (error) {
    throw signal.aborted ? aborted() : error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
