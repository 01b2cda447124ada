import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { type Command, Option } from "commander";
import { IngestError, unreadable, unwritable } from "../ingest/ingest-error.js";
import { checkLines } from "../transfer/import.js";
import { embedAll } from "./embed.js";
import type { Mem0Flags } from "./import-mem0.js";
import { type StoreFlags, storeCommand, withStore } from "./open-store.js";
import { startProgress } from "./progress.js";

interface ImportFlags extends Mem0Flags {
  readonly from: "dentate" | "mem0";
}

const MEM0_ONLY = ["url", "filters", "prefix", "userId", "dryRun"] as const;

/** `dentate export|import DIRECTORY`: a store as lines of JSON, and back. */
export function addTransferCommands(program: Command): void {
  storeCommand(program, "export", "write a store as JSONL, one entry a line")
    .option("--out <file>", "where to; to standard output unless given")
    .option("--bank <names...>", "only these banks")
    .action((directory: string, flags: StoreFlags & { out?: string; bank?: string[] }) =>
      withStore(directory, flags, { readOnly: true }, async (memory) => {
        const there = new Set(flags.bank && (await memory.banks()));
        const absent = flags.bank?.find((name) => !there.has(name));
        if (absent !== undefined) throw new IngestError(`no bank "${absent}" in ${directory}`);
        const out = flags.out === undefined ? process.stdout : await createFile(flags.out);
        const entries = await memory.export(out, { ...(flags.bank && { banks: flags.bank }) });
        process.stderr.write(`${entries} entries exported\n`);
      }),
    );

  storeCommand(program, "import", "add what was exported, any JSONL of turns, or mem0's memories")
    .argument("[file]", "the file; - for standard input")
    .addOption(
      new Option("--from <what>", "whose export it is")
        .choices(["dentate", "mem0"])
        .default("dentate"),
    )
    .option("--url <server>", "from mem0: ask its service there, with the key in MEM0_API_KEY")
    .option("--filters <json>", "with --url: mem0's filters; all memories unless given")
    .option(
      "--prefix <text>",
      "from mem0: what the banks' names begin with, as the key's that uses them",
    )
    .option("--user-id <name>", "from mem0: whose memories those are that name nobody")
    .option("--dry-run", "from mem0: say what would be done, and do nothing")
    .action(async (directory: string, file: string | undefined, flags: ImportFlags) => {
      if (flags.from === "mem0") {
        const { importFromMem0 } = await import("./import-mem0.js");
        return importFromMem0(directory, file, flags);
      }
      if (file === undefined) throw new IngestError("a file is needed");
      if (MEM0_ONLY.some((name) => flags[name] !== undefined)) {
        throw new IngestError("--url, --filters, --prefix, --user-id and --dry-run are for mem0");
      }
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
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw unreadable(file, error);
  }
}

async function createFile(file: string): Promise<Writable> {
  const out = createWriteStream(file);
  try {
    await once(out, "open");
  } catch (error) {
    throw unwritable(file, error);
  }
  return out;
}

function openFile(file: string): Readable {
  return createReadStream(file);
}
