import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { UsageError } from "../../../bench/lib/row.js";

/** A folder for a test file's data sets, gone when its tests are over. */
export function dataFolder(): { folder: string; file(content: unknown, name?: string): string } {
  const folder = mkdtempSync(join(tmpdir(), "dentate-data-"));
  after(() => rmSync(folder, { recursive: true }));
  let files = 0;
  return {
    folder,
    file(content, name = `${files++}.json`) {
      const path = join(folder, name);
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
      return path;
    },
  };
}

export function usageError(pattern: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof UsageError, String(error));
    assert.match(error.message, pattern);
    return true;
  };
}
