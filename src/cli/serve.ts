import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import { IngestError } from "../ingest/ingest-error.js";
import type { StoreFlags } from "./open-store.js";
import { storeCommand, withStore } from "./open-store.js";

interface ServeFlags extends StoreFlags {
  readonly host: string;
  readonly port: number;
  readonly keys?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

const DEFAULT_PORT = 7420;

/** `dentate serve DIRECTORY`: a store over HTTP, until SIGTERM or SIGINT. */
export function addServeCommand(program: Command): void {
  storeCommand(program, "serve", "serve a store over HTTP; it is made where there is none")
    .option(
      "--host <address>",
      "where to listen; any but this machine's own needs keys",
      "127.0.0.1",
    )
    .option("--port <number>", "where to listen; 0 for any that is free", portNumber, DEFAULT_PORT)
    .option("--keys <file>", "the API keys, as `dentate keys` makes them")
    .option("--tls-cert <file>", "serve HTTPS with this certificate (PEM)")
    .option("--tls-key <file>", "its key (PEM)")
    .action(async (directory: string, flags: ServeFlags) => {
      const { KeyRing, listen } = await import("../server/index.js");
      const { host, port, tlsCert, tlsKey } = flags;
      if ((tlsCert === undefined) !== (tlsKey === undefined)) {
        throw new IngestError("--tls-cert and --tls-key go together");
      }
      const keys =
        flags.keys === undefined ? undefined : KeyRing.parse(read(flags.keys).toString());
      const tls =
        tlsCert === undefined ? undefined : { cert: read(tlsCert), key: read(tlsKey as string) };
      await withStore(directory, flags, { readOnly: false, create: true }, async (memory) => {
        const stopped = new Promise<void>((resolve) => {
          for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, resolve);
        });
        const service = await listen({ memory, keys, host, port, tls });
        process.stdout.write(`${directory} is served at ${service.url}\n`);
        await stopped;
        await service.close();
      });
    });
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError("expected 0 to 65535.");
  return port;
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new IngestError(`cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
}
