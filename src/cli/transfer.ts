import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { Command } from "commander";
import { IngestError } from "../ingest/ingest-error.js";
import { checkLines } from "../transfer/import.js";
import { embedAll } from "./embed.js";
import { type StoreFlags, storeCommand, withStore } from "./open-store.js";
import { startProgress } from "./progress.js";

/** `dentate export|import DIRECTORY`: a store as lines of JSON, and back. */
export function addTransferCommands(program: Command): void {
  storeCommand(program, "export", "write a store as JSONL, one entry a line")
    .option("--out <file>", "where to; to standard output unless given")
    .option("--bank <names...>", "only these banks")
    .action((directory: string, flags: StoreFlags & { out?: string; bank?: string[] }) =>
      withStore(directory, flags, { readOnly: true }, async (memory) => {
        const out = flags.out === undefined ? process.stdout : createWriteStream(flags.out);
        const entries = await memory.export(out, { ...(flags.bank && { banks: flags.bank }) });
        process.stderr.write(`${entries} entries exported\n`);
      }),
    );

  storeCommand(program, "import", "add what was exported, or any JSONL of turns")
    .argument("<file>", "the file; - for standard input")
    .action(async (directory: string, file: string, flags: StoreFlags) => {
      // A file is read twice, so that a mistake in it leaves the store as it is.
      if (file !== "-") await checkFile(file);
      const use = { readOnly: false, create: true, embeds: true } as const;
      await withStore(directory, flags, use, async (memory) => {
        const source = file === "-" ? process.stdin : openFile(file);
        const size = file === "-" ? 0 : (await stat(file)).size;
        const progress = startProgress("importing", size);
        source.on("data", (chunk: Uint8Array) => progress.advance(chunk.length));
        source.pause();
        try {
          const { banks, entries } = await memory.import(source);
          process.stdout.write(`${entries} entries of ${banks} banks imported\n`);
        } finally {
          progress.stop();
        }
        await embedAll(memory);
      });
    });
}

async function checkFile(file: string): Promise<void> {
  try {
    await checkLines(openFile(file));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new IngestError(`cannot read ${file}: ${message}`, { cause: error });
  }
}

function openFile(file: string): Readable {
  return createReadStream(file);
}
