import type { Command } from "commander";
import { loadBinding } from "../native/binding.js";
import type { StoreFlags } from "./open-store.js";
import { storeCommand, withStore } from "./open-store.js";
import {
  count,
  makeLogger,
  portNumber,
  readKeys,
  readTls,
  rereadKeys,
  type ServiceFlags,
  untilStopped,
} from "./service-flags.js";
import { addTelemetryOptions, loadTelemetry, type TelemetryFlags, warnWith } from "./telemetry.js";

interface ServeFlags extends StoreFlags, ServiceFlags, TelemetryFlags {
  readonly host: string;
  readonly port: number;
  readonly rate?: number;
  readonly maxBody: number;
  readonly maxBanks: number;
  readonly backups?: string;
  readonly drain: number;
  readonly lockTimeout: number;
  readonly log?: boolean;
}

const DEFAULT_PORT = 7420;

/** `dentate serve DIRECTORY`: a store over HTTP, until SIGTERM or SIGINT. */
export function addServeCommand(program: Command): void {
  const command = storeCommand(
    program,
    "serve",
    "serve a store over HTTP; it is made where there is none",
  );
  addTelemetryOptions(command)
    .option(
      "--host <address>",
      "where to listen; any but this machine's own needs keys",
      "127.0.0.1",
    )
    .option("--port <number>", "where to listen; 0 for any that is free", portNumber, DEFAULT_PORT)
    .option("--keys <file>", "the API keys, as `dentate keys` makes them")
    .option("--rate <requests>", "most requests a second of each key; no limit unless given", count)
    .option("--max-body <MiB>", "the largest body of a request", count, 16)
    .option("--max-banks <number>", "most banks that a key may make", count, 100_000)
    .option(
      "--backups <directory>",
      "where POST /v1/admin/backup copies to; not at all unless given",
    )
    .option("--drain <seconds>", "on SIGTERM, how long /readyz says no before it stops", count, 0)
    .option(
      "--lock-timeout <seconds>",
      "how long to wait for a process that still has the store open",
      count,
      0,
    )
    .option("--no-log", "do not write a line of JSON for each request")
    .option("--tls-cert <file>", "serve HTTPS with this certificate (PEM)")
    .option("--tls-key <file>", "its key (PEM)")
    .action(async (directory: string, flags: ServeFlags) => {
      loadBinding().keepLargeBlocksApart();
      const [{ listen }, { WriteServer }] = await Promise.all([
        import("../server/index.js"),
        import("../shared/writer.js"),
      ]);
      const { host, port } = flags;
      const keys = await readKeys(flags.keys);
      const tls = readTls(flags);
      const logger = flags.log ? await makeLogger() : undefined;
      const telemetry = await loadTelemetry(flags, warnWith(logger));
      const lockTimeout = flags.lockTimeout * 1000;
      const use = { readOnly: false, create: true, embeds: true, lockTimeout } as const;
      await withStore(directory, flags, use, async (opened) => {
        const content = flags.telemetryContent;
        const memory = telemetry?.instrument(opened, { content }) ?? opened;
        const stopped = untilStopped();
        // Other programs' `dentate mcp` on this store write here meanwhile.
        const writes = await WriteServer.listen(opened, directory);
        try {
          const service = await listen({
            ...{ memory, keys, host, port, tls, logger },
            mostBodyBytes: flags.maxBody * 1024 * 1024,
            mostBanks: flags.maxBanks,
            backups: flags.backups,
            telemetry: telemetry?.requestTelemetry(),
            rateLimit: flags.rate === undefined ? undefined : { requests: flags.rate },
          });
          process.stdout.write(`${directory} is served at ${service.url}\n`);
          rereadKeys(flags.keys, keys);
          await stopped;
          await service.close({ readyMs: flags.drain * 1000 });
        } finally {
          await writes.close();
        }
      });
    });
}
