import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { EMBEDDER_SPECS, type OpenedEmbedder, openEmbedderSpec } from "../embed/embedder-spec.js";
import { IngestError, unreadable } from "../ingest/ingest-error.js";
import { Memory } from "../memory.js";
import type { MemoryOptions } from "../memory-options.js";
import { loadBinding } from "../native/binding.js";
import type { Damage } from "../types.js";

/** The flags of every command that works on a store. */
export interface StoreFlags {
  readonly keyFile?: string;
  readonly embedder?: string;
  readonly embeddingCache?: string;
}

/** What a command does with a store. */
export interface StoreUse {
  readonly readOnly: boolean;
  /** Whether one is made where there is none. */
  readonly create?: boolean;
  /**
   * Whether it makes vectors, or looks for them. One that doesn't needs no model, whatever the store was
   * made with.
   */
  readonly embeds?: boolean;
  /** Whether a store that was made with another embedder, encoder, ... is built again for these. */
  readonly reindex?: boolean;
  /** How long to wait for another process that has the store open, in milliseconds; not at all unless given. */
  readonly lockTimeout?: number;
}

/** Declares a command `NAME DIRECTORY` with what all such commands have. */
export function storeCommand(program: Command, name: string, description: string): Command {
  return addStoreOptions(
    program.command(name).description(description).argument("<directory>", "the store"),
  );
}

/** Declares {@link StoreFlags}. */
export function addStoreOptions(command: Command): Command {
  return command
    .option("--key-file <file>", "holds the key of an encrypted store: 32 bytes, or 64 hex digits")
    .option("--embedder <what>", `what the store was made with, or is to be: ${EMBEDDER_SPECS}`)
    .option("--embedding-cache <folder>", "keep that model's vectors here too, and look them up");
}

/** The options that a command opens a store with, and what it gives back afterwards. */
export interface StoreOptions {
  readonly options: MemoryOptions;
  close(): Promise<void>;
}

/** What flags say about a store that is there: a slip in the path must not make one. */
export async function storeOptions(
  directory: string,
  flags: StoreFlags,
  { readOnly, create = false, embeds = false, reindex = false, lockTimeout }: StoreUse,
): Promise<StoreOptions> {
  const { embedder: spec, embeddingCache } = flags;
  const key = keyOf(flags);
  const settings = await loadBinding().Store.readSettings(directory, key);
  if (settings === undefined && !create) throw new IngestError(`no store in ${directory}`);
  const opened = spec === undefined ? undefined : await openEmbedder(spec, embeddingCache);
  const embedder = opened?.embedder ?? (embeds || settings === undefined ? undefined : "none");
  return {
    options: { readOnly, embedder, reindex, key, lockTimeout },
    close: async () => opened?.close(),
  };
}

/** Whether there is one, which the key fits. */
export async function hasStore(directory: string, flags: StoreFlags): Promise<boolean> {
  return (await loadBinding().Store.readSettings(directory, keyOf(flags))) !== undefined;
}

function openEmbedder(spec: string, directory: string | undefined): Promise<OpenedEmbedder> {
  return openEmbedderSpec("--embedder", spec, { directory });
}

/** Runs `work` with an open store, which is closed whatever becomes of it. */
export async function withStore<T>(
  directory: string,
  flags: StoreFlags,
  use: StoreUse,
  work: (memory: Memory) => Promise<T>,
): Promise<T> {
  const opened = await storeOptions(directory, flags, use);
  try {
    const memory = await Memory.open(directory, opened.options);
    try {
      return await work(memory);
    } finally {
      await memory.close();
    }
  } finally {
    await opened.close();
  }
}

/** What is damaged in the files of a store, which need not be one that opens. */
export async function verifyStore(
  directory: string,
  flags: StoreFlags,
): Promise<readonly Damage[]> {
  // The manifest is not read, where there is one: it may be what is damaged.
  if (!existsSync(join(directory, "MANIFEST")) && !(await hasStore(directory, flags))) {
    throw new IngestError(`no store in ${directory}`);
  }
  return Memory.verify(directory, { key: keyOf(flags) });
}

function keyOf({ keyFile }: StoreFlags): Uint8Array | undefined {
  return keyFile === undefined ? undefined : readKey(keyFile);
}

function readKey(file: string): Uint8Array {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw unreadable(file, cause);
  }
  if (bytes.length === 32) return new Uint8Array(bytes);
  const hex = bytes.toString("latin1").trim();
  if (/^[\da-f]{64}$/i.test(hex)) return new Uint8Array(Buffer.from(hex, "hex"));
  throw new IngestError(
    `${file}: expected a key of 32 bytes or 64 hex digits, got ${bytes.length} bytes`,
  );
}
