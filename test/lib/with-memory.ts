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
