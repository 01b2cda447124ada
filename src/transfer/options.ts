import { checkEach, expected, expectOptions } from "../internal/check.js";
import { checkBankName, checkSignal } from "../options.js";
import type { ExportOptions } from "./export.js";
import type { ImportOptions } from "./import.js";

export function checkExportOptions(given: unknown): ExportOptions {
  const options = expectOptions("options", given ?? {}, ["banks", "onProgress", "signal"]);
  const { banks } = options;
  if (banks !== undefined && !Array.isArray(banks)) {
    throw expected("options.banks", "an array of names", banks);
  }
  return {
    banks: banks && checkEach(banks, (name, i) => checkBankName(`options.banks[${i}]`, name)),
    onProgress: checkProgress(options["onProgress"]) as ExportOptions["onProgress"],
    signal: checkSignal(options["signal"]),
  };
}

export function checkImportOptions(given: unknown): ImportOptions {
  const options = expectOptions("options", given ?? {}, ["onProgress", "signal"]);
  return {
    onProgress: checkProgress(options["onProgress"]) as ImportOptions["onProgress"],
    signal: checkSignal(options["signal"]),
  };
}

function checkProgress(value: unknown): unknown {
  if (value !== undefined && typeof value !== "function") {
    throw expected("options.onProgress", "a function", value);
  }
  return value;
}

/** A stream to write to, by shape: it may be one of another module. */
export function checkWritable(argument: string, value: unknown): void {
  const { write, end } = Object(value) as { write?: unknown; end?: unknown };
  if (typeof write === "function" && typeof end === "function") return;
  throw expected(argument, "a writable stream", value);
}

/** A stream or another iterable of bytes or strings. */
export function checkReadable(argument: string, value: unknown): void {
  const { [Symbol.asyncIterator]: async, [Symbol.iterator]: sync } = Object(value) as {
    [Symbol.asyncIterator]?: unknown;
    [Symbol.iterator]?: unknown;
  };
  const iterable = typeof async === "function" || typeof sync === "function";
  if (iterable && typeof value !== "string") return;
  throw expected(argument, "a readable stream, or an iterable of bytes or strings", value);
}
