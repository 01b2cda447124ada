import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { IngestError } from "../ingest/ingest-error.js";

interface KeyFlags {
  readonly banks?: string[];
  readonly admin?: boolean;
  readonly metrics?: boolean;
}

/** `dentate keys add|list|remove FILE`: the API keys of `dentate serve --keys FILE`. */
export function addKeyCommands(program: Command): void {
  const keys = program.command("keys").description("make and take away API keys of a service");
  keys
    .command("add")
    .description("make a key, print it once, and keep only its hash")
    .argument("<file>", "the key file; it is made where there is none")
    .argument("<id>", "what logs and metrics call the key")
    .option("--banks <pattern...>", "banks it may use: names, or beginnings and * (default: all)")
    .option("--admin", "it may back up, verify, compact and purge the store as well")
    .option("--metrics", "it may read /metrics, and no bank unless --banks names some")
    .action(async (file: string, id: string, { banks, admin, metrics }: KeyFlags) => {
      const { KeyRing, makeKey } = await import("../server/keys.js");
      const all = metrics && !admin ? [] : ["*"];
      const { key, record } = makeKey(id, banks ?? all, admin, metrics);
      const json = toJson([...readKeys(file), record]);
      // What it says is read back before anything is written.
      explained(file, () => KeyRing.parse(json));
      await writeKeys(file, json);
      process.stdout.write(`${key}\n`);
    });
  keys
    .command("list")
    .description("say which keys there are")
    .argument("<file>", "the key file")
    .action((file: string) => {
      expectFile(file);
      for (const { id, banks, admin, metrics } of readKeys(file)) {
        const may = `${admin ? "\tadmin" : ""}${metrics ? "\tmetrics" : ""}`;
        process.stdout.write(`${id}\t${banks.join(" ")}${may}\n`);
      }
    });
  keys
    .command("remove")
    .description("take a key away; a service that runs reads the file again at SIGHUP")
    .argument("<file>", "the key file")
    .argument("<id>", "the key")
    .action(async (file: string, id: string) => {
      expectFile(file);
      const before = readKeys(file);
      const after = before.filter((record) => record.id !== id);
      if (after.length === before.length) throw new IngestError(`${file}: there is no key "${id}"`);
      await writeKeys(file, toJson(after));
    });
}

interface Record {
  readonly id: string;
  readonly banks: readonly string[];
  readonly admin?: boolean;
  readonly metrics?: boolean;
}

function readKeys(file: string): readonly Record[] {
  if (!existsSync(file)) return [];
  return explained(file, () => {
    const { keys } = JSON.parse(readFileSync(file, "utf8")) as { readonly keys?: unknown };
    if (!Array.isArray(keys)) throw new TypeError('expected { "keys": [...] }');
    return keys as Record[];
  });
}

/** Only `add` makes one: elsewhere a name that is not there is a slip. */
function expectFile(file: string): void {
  if (!existsSync(file)) throw new IngestError(`cannot read ${file}: no such file`);
}

function explained<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new IngestError(`${file}: ${(cause as Error).message}`, { cause });
  }
}

function toJson(keys: readonly object[]): string {
  return `${JSON.stringify({ keys }, null, 2)}\n`;
}

/** In one step: a service that starts meanwhile reads the old keys or the new ones. */
async function writeKeys(file: string, json: string): Promise<void> {
  // A name that nobody can have put a link at.
  const fresh = `${file}.${randomUUID()}`;
  await writeFile(fresh, json, { mode: 0o600, flag: "wx" });
  await rename(fresh, file);
}
