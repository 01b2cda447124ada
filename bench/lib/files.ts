import { writeFileSync } from "node:fs";
import { UsageError } from "./row.js";

/** @throws {@link UsageError} where it can't be written. */
export function writeText(file: string, content: string): void {
  try {
    writeFileSync(file, content);
  } catch (cause) {
    throw new UsageError(`cannot write "${file}": ${(cause as Error).message}`, { cause });
  }
}
