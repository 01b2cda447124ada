import { expected } from "./check.js";

/**
 * `value` as a Uint32Array whose elements stay what they are until the call returns: a view of
 * shared memory, which another thread may write to between the check and the use, is copied.
 *
 * @throws TypeError where it is something else, or its memory was transferred away.
 */
export function expectUint32Array(argument: string, value: unknown): Uint32Array {
  if (!(value instanceof Uint32Array)) throw expected(argument, "a Uint32Array", value);
  if (value.length === 0 && isDetached(value)) {
    throw expected(argument, "a Uint32Array with its memory", "one that was transferred away");
  }
  return value.buffer instanceof SharedArrayBuffer ? value.slice() : value;
}

/** Whether the memory behind the view was transferred away. */
export function isDetached(value: ArrayBufferView): boolean {
  try {
    new Uint8Array(value.buffer);
    return false;
  } catch {
    return true;
  }
}
