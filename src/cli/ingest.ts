import type { Command } from "commander";
import { loadFile } from "./load.js";

/** `dentate ingest FILE`: reads, checks and adds a file, and says what it came to. */
export function addIngestCommand(program: Command): void {
  program
    .command("ingest")
    .description("read a file of turns (JSON, JSONL, LoCoMo's layout) into memory and measure it")
    .argument("<file>", "the file")
    .option("--json", "print the figures as JSON")
    .action(async (file: string, { json = false }: { json?: boolean }) => {
      const loaded = await loadFile(file);
      const banks = [];
      for (const { id, turns } of loaded.conversations) {
        const { tokens, bytes } = await loaded.memory.bank(id).stats();
        banks.push({ conversation: id, turns: turns.length, tokens, bytes });
      }
      await loaded.memory.close();
      if (json) {
        process.stdout.write(`${JSON.stringify({ addMs: loaded.addMs, banks })}\n`);
        return;
      }
      for (const { conversation, turns, tokens, bytes } of banks) {
        process.stdout.write(
          `${conversation}: ${turns} turns, ${tokens} tokens, ${bytes} bytes in memory\n`,
        );
      }
      const turns = banks.reduce((sum, bank) => sum + bank.turns, 0);
      process.stdout.write(
        `added ${turns} turns in ${loaded.addMs.toFixed(1)} ms (${((1000 * loaded.addMs) / turns).toFixed(0)} µs a turn); nothing is kept after this command\n`,
      );
    });
}
