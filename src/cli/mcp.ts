import type { Command } from "commander";
import { type StoreFlags, storeCommand, storeOptions } from "./open-store.js";

interface McpFlags extends StoreFlags {
  readonly bank: string;
  readonly session?: string;
}

/** `dentate mcp DIRECTORY`: the store as tools for models, over standard input and output. */
export function addMcpCommand(program: Command): void {
  storeCommand(program, "mcp", "serve a store to models, as tools over standard input and output")
    .option("--bank <name>", "the bank that the tools work on", "default")
    .option("--session <name>", "the session that what is added belongs to")
    .action(async (directory: string, flags: McpFlags) => {
      const [{ serveStdio }, { SharedMemory }] = await Promise.all([
        import("../mcp/stdio.js"),
        import("../shared/shared-memory.js"),
      ]);
      const opened = await storeOptions(directory, flags, {
        ...{ readOnly: false, create: true, embeds: true },
      });
      try {
        const memory = await SharedMemory.open(directory, opened.options);
        try {
          await serveStdio({ bank: memory.bank(flags.bank), session: flags.session });
        } finally {
          await memory.close();
        }
      } finally {
        await opened.close();
      }
    });
}
