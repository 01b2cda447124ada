import type { Command } from "commander";
import { type StoreFlags, storeCommand, withStore } from "./open-store.js";

interface JsonFlag extends StoreFlags {
  readonly json?: boolean;
}

/** `dentate stats|verify|compact|purge|backup DIRECTORY`: what whoever runs a service needs. */
export function addMaintenanceCommands(program: Command): void {
  storeCommand(program, "stats", "say what a store holds and how large it is")
    .option("--json", "print as JSON")
    .action((directory: string, flags: JsonFlag) =>
      withStore(directory, flags, { readOnly: true }, async (memory) => {
        const storage = await memory.storage();
        const names = await memory.banks();
        if (flags.json) return print({ ...storage, names });
        const lines = Object.entries(storage).map(([what, count]) => `${what.padEnd(12)} ${count}`);
        process.stdout.write(`${lines.join("\n")}\n`);
      }),
    );

  storeCommand(program, "verify", "read every checksum; exit code 1 and a list where one is wrong")
    .option("--json", "print as JSON")
    .action((directory: string, flags: JsonFlag) =>
      withStore(directory, flags, { readOnly: true }, async (memory) => {
        const damage = await memory.verify();
        if (damage.length > 0) process.exitCode = 1;
        if (flags.json) return print(damage);
        for (const { file, offset, problem } of damage) {
          process.stdout.write(`${file}, byte ${offset}: ${problem}\n`);
        }
        if (damage.length === 0) process.stdout.write("no damage\n");
      }),
    );

  storeCommand(
    program,
    "compact",
    "merge what a store consists of into as few files as can be",
  ).action((directory: string, flags: StoreFlags) =>
    withStore(directory, flags, { readOnly: false }, async (memory) => {
      const before = await memory.storage();
      await memory.compact();
      const { files, fileBytes } = await memory.storage();
      process.stdout.write(
        `${before.files} files, ${before.fileBytes} bytes before; ${files} files, ${fileBytes} bytes now\n`,
      );
    }),
  );

  storeCommand(program, "purge", "make sure that nothing on disk holds what was deleted")
    .option("--json", "print the receipt as JSON")
    .action((directory: string, flags: JsonFlag) =>
      withStore(directory, flags, { readOnly: false }, async (memory) => {
        const receipt = await memory.purge();
        if (flags.json) return print(receipt);
        const { entries, segmentsRewritten, bytesFreed, unreached } = receipt;
        process.stdout.write(
          `${entries} entries are gone: ${segmentsRewritten} segments rewritten, ${bytesFreed} bytes freed\n`,
        );
        for (const who of unreached) process.stdout.write(`not reached: ${who}\n`);
      }),
    );

  storeCommand(program, "backup", "copy a store, as it is now, while it may be in use")
    .argument("<to>", "a directory that is missing or empty")
    .action((directory: string, to: string, flags: StoreFlags) =>
      withStore(directory, flags, { readOnly: true }, async (memory) => {
        await memory.backup(to);
        process.stdout.write(`${directory} is backed up to ${to}\n`);
      }),
    );
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
