import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs `work` in a fresh directory, which is gone afterwards. */
export async function inDirectory<T>(
  parent: string | undefined,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(parent ?? tmpdir(), "dentate-bench-"));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export interface Footprint {
  readonly files: number;
  readonly bytes: number;
}

/** Every file below a directory, by its length. */
export function footprint(directory: string): Footprint {
  let files = 0;
  let bytes = 0;
  for (const item of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (!item.isFile()) continue;
    try {
      bytes += statSync(join(item.parentPath, item.name)).size;
      files++;
    } catch {
      // Removed meanwhile: a merge is under way.
    }
  }
  return { files, bytes };
}
