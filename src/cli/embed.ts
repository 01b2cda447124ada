import type { Command } from "commander";
import { isDentateError } from "../errors.js";
import type { Memory } from "../memory.js";
import { type StoreFlags, storeCommand, withStore } from "./open-store.js";
import { startProgress } from "./progress.js";

/** `dentate embed|reindex DIRECTORY`: what a store's vectors need. */
export function addEmbedCommands(program: Command): void {
  storeCommand(
    program,
    "embed",
    "make the vectors that a store still lacks; interrupted, it goes on where it was",
  ).action((directory: string, flags: StoreFlags) =>
    withStore(directory, flags, { readOnly: false, embeds: true }, async (memory) => {
      const chunks = await embedAll(memory);
      process.stdout.write(`all ${chunks} chunks of ${directory} have vectors\n`);
    }),
  );

  storeCommand(
    program,
    "reindex",
    "build a store again from its text: for another embedder, or a newer version",
  ).action(async (directory: string, flags: StoreFlags) => {
    const use = { readOnly: false, embeds: true } as const;
    const report = async (memory: Memory) => {
      const chunks = await embedAll(memory);
      process.stdout.write(`${directory} is built again: ${chunks} chunks\n`);
    };
    try {
      await withStore(directory, flags, use, async (memory) => {
        await memory.reindex();
        await report(memory);
      });
    } catch (error) {
      // Made with others: it is built again as it is opened.
      if (!isDentateError(error, "DENTATE_MISMATCH")) throw error;
      await withStore(directory, flags, { ...use, reindex: true }, report);
    }
  });
}

/** Makes all chunks that are due, with a bar. @returns how many there are then. */
export async function embedAll(memory: Memory): Promise<number> {
  let all = 0;
  for (const name of await memory.banks()) {
    let bar: ReturnType<typeof startProgress> | undefined;
    let last = 0;
    try {
      await memory.bank(name).indexed({
        onProgress({ chunks, total }) {
          bar ??= startProgress(`embedding ${name}`, total);
          bar.advance(chunks - last);
          last = chunks;
        },
      });
    } finally {
      bar?.stop();
    }
    all += (await memory.bank(name).stats()).chunks;
  }
  return all;
}
