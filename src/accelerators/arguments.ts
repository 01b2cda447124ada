import { expected, expectInteger, expectOptions, outOfRange } from "../internal/check.js";
import { expectAttached, expectUint32Array } from "../internal/views.js";
import { checkSignal } from "../options.js";
import type { VectorGroups } from "./accelerator.js";

/** What an accelerator is asked with, checked once, so that no driver has to. */

export const MOST_DIMENSIONS = 16_384;
/** As of a {@link HammingIndex}: distances are 16 bits. */
export const MOST_BITS = 65_472;
/** Rows are numbered with 32 bits. */
export const MOST_ROWS = 2 ** 32 - 1;

/** Rows of finite numbers: how many there are. */
export function checkRows(argument: string, value: unknown, dimensions: number): number {
  if (!(value instanceof Float32Array)) throw expected(argument, "a Float32Array", value);
  expectAttached(argument, value);
  if (value.length % dimensions !== 0) {
    const what = `a multiple of ${dimensions} numbers, for as many dimensions`;
    throw outOfRange(`${argument}.length`, what, value.length);
  }
  // Nothing times 0 is something else than 0 but what is not finite: quicker than to ask each.
  let nothing = 0;
  for (let i = 0; i < value.length; i++) nothing += value[i]! * 0;
  if (nothing !== 0) {
    const i = value.findIndex((each) => !Number.isFinite(each));
    throw outOfRange(`${argument}[${i}]`, "a finite number", value[i]);
  }
  return value.length / dimensions;
}

/** Signatures: how many there are. */
export function checkWords(argument: string, value: unknown, bits: number): number {
  if (!(value instanceof BigUint64Array)) throw expected(argument, "a BigUint64Array", value);
  expectAttached(argument, value);
  const words = bits / 64;
  if (value.length % words !== 0) {
    throw outOfRange(`${argument}.length`, `a multiple of ${words} words`, value.length);
  }
  return value.length / words;
}

/** Offsets of ragged groups over `count` items; a copy. */
export function checkOffsets(argument: string, value: unknown, count: number): Uint32Array {
  const offsets = expectUint32Array(argument, value).slice();
  if (offsets.length === 0) throw outOfRange(`${argument}.length`, "1 or more", 0);
  if (offsets[0] !== 0) throw outOfRange(`${argument}[0]`, "0", offsets[0]);
  for (let i = 1; i < offsets.length; i++) {
    if (offsets[i]! >= offsets[i - 1]!) continue;
    throw outOfRange(`${argument}[${i}]`, `${offsets[i - 1]} or more`, offsets[i]);
  }
  if (offsets.at(-1) !== count) {
    throw outOfRange(`${argument}[${offsets.length - 1}]`, `${count}, the end`, offsets.at(-1));
  }
  return offsets;
}

/** A copy, since an operation may run on another thread while the caller changes its own. */
export function checkGroups(argument: string, value: unknown): VectorGroups {
  const given = expectOptions(argument, value, ["rows", "dimensions", "offsets"]);
  const dimensions = checkDimensions(`${argument}.dimensions`, given["dimensions"]);
  const count = checkRows(`${argument}.rows`, given["rows"], dimensions);
  const offsets = checkOffsets(`${argument}.offsets`, given["offsets"], count);
  return { rows: (given["rows"] as Float32Array).slice(), dimensions, offsets };
}

/** Ids of rows that there are; a copy. */
export function checkIds(argument: string, value: unknown, count: number): Uint32Array {
  const ids = expectUint32Array(argument, value).slice();
  const i = ids.findIndex((id) => id >= count);
  if (i !== -1) throw outOfRange(`${argument}[${i}]`, `a row below ${count}`, ids[i]);
  return ids;
}

export function checkDimensions(argument: string, value: unknown): number {
  return expectInteger(argument, value, 1, MOST_DIMENSIONS);
}

export function checkRunOptions(value: unknown): AbortSignal | undefined {
  return checkSignal(expectOptions("options", value ?? {}, ["signal"])["signal"]);
}
