import { expected } from "./check.js";

/**
 * `value` as a Uint32Array whose elements stay what they are until the call returns: a view of
 * shared memory, which another thread may write to between the check and the use, is copied.
 *
 * @throws TypeError where it is something else, or its memory was transferred away.
 */
export function expectUint32Array(argument: string, value: unknown): Uint32Array {
  if (!(value instanceof Uint32Array)) throw expected(argument, "a Uint32Array", value);
  expectAttached(argument, value);
  return value.buffer instanceof SharedArrayBuffer ? value.slice() : value;
}

/** @throws TypeError where the memory behind the view was transferred away: it would pass for empty. */
export function expectAttached(argument: string, value: ArrayBufferView): void {
  if (value.byteLength > 0) return;
  try {
    new Uint8Array(value.buffer);
  } catch {
    throw new TypeError(
      `${argument}: expected a view with its memory, got one that was transferred`,
    );
  }
}
