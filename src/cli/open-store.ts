import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { IngestError } from "../ingest/ingest-error.js";
import { Memory } from "../memory.js";
import { loadBinding } from "../native/binding.js";

/** The flags of every command that works on a store. */
export interface StoreFlags {
  readonly keyFile?: string;
}

/** Declares a command `NAME DIRECTORY` with what all such commands have. */
export function storeCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .argument("<directory>", "the store")
    .option("--key-file <file>", "holds the key of an encrypted store: 32 bytes, or 64 hex digits");
}

/** Opens a store that is there: a slip in the path must not make one. */
export async function openStore(
  directory: string,
  { keyFile }: StoreFlags,
  { readOnly, create = false }: { readonly readOnly: boolean; readonly create?: boolean },
): Promise<Memory> {
  const key = keyFile === undefined ? undefined : readKey(keyFile);
  const settings = await loadBinding().Store.readSettings(directory, key);
  if (settings === undefined && !create) throw new IngestError(`no store in ${directory}`);
  return Memory.open(directory, { readOnly, ...(key && { key }) });
}

/** Runs `work` with an open store, which is closed whatever becomes of it. */
export async function withStore<T>(
  directory: string,
  flags: StoreFlags,
  how: { readonly readOnly: boolean; readonly create?: boolean },
  work: (memory: Memory) => Promise<T>,
): Promise<T> {
  const memory = await openStore(directory, flags, how);
  try {
    return await work(memory);
  } finally {
    await memory.close();
  }
}

function readKey(file: string): Uint8Array {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw new IngestError(`cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
  if (bytes.length === 32) return new Uint8Array(bytes);
  const hex = bytes.toString("latin1").trim();
  if (/^[\da-f]{64}$/i.test(hex)) return new Uint8Array(Buffer.from(hex, "hex"));
  throw new IngestError(
    `${file}: expected a key of 32 bytes or 64 hex digits, got ${bytes.length} bytes`,
  );
}
