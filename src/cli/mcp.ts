import { type Command, InvalidArgumentError } from "commander";
import { IngestError } from "../ingest/ingest-error.js";
import { loadBinding } from "../native/binding.js";
import type { SharedMemory } from "../shared/shared-memory.js";
import { type StoreFlags, storeCommand, storeOptions } from "./open-store.js";
import {
  atLeastOne,
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

interface McpFlags extends StoreFlags, ServiceFlags, TelemetryFlags {
  readonly bank?: string;
  readonly session?: string;
  readonly http?: Place;
  readonly rate?: number;
  readonly maxBody: number;
  readonly maxSessions: number;
  readonly idle: number;
  readonly stateless?: boolean;
  readonly log?: boolean;
}

/** How the descriptions begin of what is for HTTP alone. */
const FOR_HTTP = "with --http:";

interface Place {
  readonly host: string;
  readonly port: number;
}

/** `dentate mcp DIRECTORY`: the store as tools for models, over standard input and output or HTTP. */
export function addMcpCommand(program: Command): void {
  const command = storeCommand(
    program,
    "mcp",
    "serve a store to models, as tools over standard input and output",
  );
  addTelemetryOptions(command)
    .option(
      "--bank <name>",
      "the bank that the tools work on (default: that of the key, or default)",
    )
    .option("--session <name>", "the session that what is added belongs to")
    .option("--http <[host:]port>", "serve streamable HTTP at /mcp instead", placeOf)
    .option("--keys <file>", `${FOR_HTTP} the API keys, as \`dentate keys\` makes them`)
    .option("--rate <requests>", `${FOR_HTTP} most requests a second of each key`, count)
    .option("--max-body <MiB>", `${FOR_HTTP} the largest body of a request`, count, 16)
    .option("--max-sessions <number>", `${FOR_HTTP} most sessions of a key`, atLeastOne, 100)
    .option("--idle <minutes>", `${FOR_HTTP} how long an unused session is kept`, atLeastOne, 30)
    .option("--stateless", `${FOR_HTTP} keep no sessions; each request is answered for itself`)
    .option("--no-log", `${FOR_HTTP} do not write a line of JSON for each request`)
    .option("--tls-cert <file>", `${FOR_HTTP} serve HTTPS with this certificate (PEM)`)
    .option("--tls-key <file>", `${FOR_HTTP} its key (PEM)`)
    .action(async (directory: string, flags: McpFlags) => {
      if (flags.http === undefined) refuseHttpFlags(command);
      loadBinding().keepLargeBlocksApart();
      const { SharedMemory: Shared } = await import("../shared/shared-memory.js");
      const opened = await storeOptions(directory, flags, {
        ...{ readOnly: false, create: true, embeds: true },
      });
      try {
        const memory = await Shared.open(directory, opened.options);
        try {
          if (flags.http === undefined) await serveClient(memory, flags);
          else await serveClients(memory, directory, flags, flags.http);
        } finally {
          await memory.close();
        }
      } finally {
        await opened.close();
      }
    });
}

/** Of a flag that would do nothing, its user hears. @throws IngestError */
function refuseHttpFlags(command: Command): void {
  const given = command.options.find(
    (option) =>
      option.description.startsWith(FOR_HTTP) &&
      command.getOptionValueSource(option.attributeName()) === "cli",
  );
  if (given !== undefined) throw new IngestError(`${given.long} is for --http`);
}

async function serveClient(opened: SharedMemory, flags: McpFlags) {
  const { bank = "default", session } = flags;
  const { serveStdio } = await import("../mcp/stdio.js");
  const telemetry = await loadTelemetry(flags, warnWith(undefined));
  const memory = telemetry?.instrument(opened, { content: flags.telemetryContent }) ?? opened;
  const onError = (error: unknown) => {
    process.stderr.write(`dentate: ${(error as Error).stack ?? String(error)}\n`);
  };
  await serveStdio({ bank: memory.bank(bank), session, onError });
}

async function serveClients(
  opened: SharedMemory,
  directory: string,
  flags: McpFlags,
  { host, port }: Place,
) {
  const [{ createMcpApp }, { listenTo }] = await Promise.all([
    import("../mcp/app.js"),
    import("../server/listen.js"),
  ]);
  const { bank, session, rate, stateless, maxSessions: mostSessions } = flags;
  const keys = await readKeys(flags.keys);
  const tls = readTls(flags);
  const logger = flags.log ? await makeLogger() : undefined;
  const telemetry = await loadTelemetry(flags, warnWith(logger));
  const memory = telemetry?.instrument(opened, { content: flags.telemetryContent }) ?? opened;
  const stopped = untilStopped();
  const make = () =>
    createMcpApp({
      ...{ bank, session, keys, logger, stateless, mostSessions },
      telemetry: telemetry?.requestTelemetry(),
      bankOf: (name) => memory.bank(name),
      idleMs: flags.idle * 60_000,
      mostBodyBytes: flags.maxBody * 1024 * 1024,
      rateLimit: rate === undefined ? undefined : { requests: rate },
    });
  const service = await listenTo(make, { host, port, tls }, keys !== undefined);
  process.stdout.write(`${directory} is served at ${service.url}/mcp\n`);
  rereadKeys(flags.keys, keys);
  await stopped;
  await service.close();
}

function placeOf(text: string): Place {
  const [, host = "127.0.0.1", port] = /^(?:(.+):)?(\d+)$/.exec(text) ?? [];
  if (port === undefined) throw new InvalidArgumentError("expected a port, or host:port.");
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port: portNumber(port) };
}
