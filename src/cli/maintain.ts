import type { Command } from "commander";
import { IngestError } from "../ingest/ingest-error.js";
import type { BankStats, Damage, PurgeReceipt, StorageStats } from "../types.js";
import { type StoreFlags, storeCommand, verifyStore, withStore } from "./open-store.js";
import { askService, chooseDirectory, type PlaceFlags, placeCommand } from "./remote.js";

interface JsonFlag extends PlaceFlags {
  readonly json?: boolean;
}

interface StatsFlags extends JsonFlag {
  readonly bank?: string;
}

const reading = { readOnly: true } as const;
const writing = { readOnly: false } as const;

/** `dentate stats|verify|compact|purge|backup`: what whoever runs a service needs. */
export function addMaintenanceCommands(program: Command): void {
  placeCommand(program, "stats", "say what a store holds and how large it is")
    .option(
      "--bank <name>",
      "of this bank: its entries, tokens, sessions, chunks, atoms and memory",
    )
    .option("--json", "print as JSON")
    .action(async (given: string | undefined, flags: StatsFlags) => {
      const directory = chooseDirectory(given, flags);
      const stats = await (flags.bank === undefined
        ? statsOfStore(directory, flags)
        : statsOfBank(directory, flags.bank, flags));
      if (flags.json) return print(stats);
      for (const [what, count] of Object.entries(stats)) {
        if (what !== "names") process.stdout.write(`${what.padEnd(12)} ${count}\n`);
      }
    });

  placeCommand(program, "verify", "read every checksum; exit code 1 and a list where one is wrong")
    .option("--json", "print as JSON")
    .action(async (given: string | undefined, flags: JsonFlag) => {
      const directory = chooseDirectory(given, flags);
      const damage: readonly Damage[] =
        directory === undefined
          ? (await askService<{ damage: Damage[] }>(flags.url!, "POST", "admin/verify")).damage
          : await verifyStore(directory, flags);
      if (damage.length > 0) process.exitCode = 1;
      if (flags.json) return print(damage);
      for (const { file, offset, problem } of damage) {
        process.stdout.write(`${file}, byte ${offset}: ${problem}\n`);
      }
      if (damage.length === 0) process.stdout.write("no damage\n");
    });

  placeCommand(
    program,
    "compact",
    "merge what a store consists of into as few files as can be",
  ).action(async (given: string | undefined, flags: PlaceFlags) => {
    const directory = chooseDirectory(given, flags);
    const { files, fileBytes }: StorageStats =
      directory === undefined
        ? await askService(flags.url!, "POST", "admin/compact")
        : await withStore(directory, flags, writing, async (memory) => {
            await memory.compact();
            return memory.storage();
          });
    process.stdout.write(`${files} files, ${fileBytes} bytes now\n`);
  });

  placeCommand(program, "purge", "make sure that nothing on disk holds what was deleted")
    .option("--json", "print the receipt as JSON")
    .action(async (given: string | undefined, flags: JsonFlag) => {
      const directory = chooseDirectory(given, flags);
      const receipt: PurgeReceipt =
        directory === undefined
          ? await askService(flags.url!, "POST", "admin/purge")
          : await withStore(directory, flags, writing, (memory) => memory.purge());
      if (flags.json) return print(receipt);
      const { entries, segmentsRewritten, bytesFreed, unreached } = receipt;
      process.stdout.write(
        `${entries} entries are gone: ${segmentsRewritten} segments rewritten, ${bytesFreed} bytes freed\n`,
      );
      for (const who of unreached) process.stdout.write(`not reached: ${who}\n`);
    });

  storeCommand(program, "backup", "copy a store, as it is now, while it may be in use")
    .argument("<to>", "a directory that is missing or empty")
    .action((directory: string, to: string, flags: StoreFlags) =>
      withStore(directory, flags, reading, async (memory) => {
        await memory.backup(to);
        process.stdout.write(`${directory} is backed up to ${to}\n`);
      }),
    );
}

async function statsOfStore(
  directory: string | undefined,
  flags: StatsFlags,
): Promise<StorageStats & { readonly names?: readonly string[] }> {
  if (directory === undefined) return askService(flags.url!, "GET", "admin/stats");
  return withStore(directory, flags, reading, async (memory) => ({
    ...(await memory.storage()),
    names: await memory.banks(),
  }));
}

async function statsOfBank(
  directory: string | undefined,
  name: string,
  flags: StatsFlags,
): Promise<BankStats> {
  if (directory === undefined) {
    return askService(flags.url!, "GET", `banks/${encodeURIComponent(name)}`);
  }
  return withStore(directory, flags, reading, async (memory) => {
    const names = await memory.banks();
    if (!names.includes(name)) throw new IngestError(`no bank "${name}" in ${directory}`);
    return memory.bank(name).stats();
  });
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
