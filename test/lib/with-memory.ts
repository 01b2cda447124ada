import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Memory, type MemoryOptions } from "../../src/index.js";

/** Runs a test with a memory of its own, closed in the end. */
export async function withMemory(
  run: (memory: Memory) => Promise<void>,
  options: MemoryOptions = {},
): Promise<void> {
  const memory = await Memory.open({ ...options, inMemory: true });
  try {
    await run(memory);
  } finally {
    await memory.close();
  }
}

/** Runs a test with a directory of its own, removed in the end; the store in it is yet to be made. */
export async function withDirectory<T>(run: (directory: string) => Promise<T>): Promise<T> {
  const parent = await mkdtemp(join(tmpdir(), "dentate-"));
  try {
    return await run(join(parent, "store"));
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

/** Opens the store in a directory, and closes it in the end. */
export async function withStore<T>(
  directory: string,
  run: (memory: Memory) => Promise<T>,
  options?: MemoryOptions,
): Promise<T> {
  const memory = await Memory.open(directory, options);
  try {
    return await run(memory);
  } finally {
    await memory.close();
  }
}
