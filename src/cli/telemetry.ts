import type { Command } from "commander";
import { Option } from "commander";
import { importPeer } from "../embed/import-peer.js";
import { IngestError } from "../ingest/ingest-error.js";
import type { Logger } from "../server/request-log.js";

/** The flags of commands that serve. */
export interface TelemetryFlags {
  readonly telemetry?: boolean;
  readonly telemetryContent?: boolean;
}

const API = "@opentelemetry/api";

/** Declares {@link TelemetryFlags}. */
export function addTelemetryOptions(command: Command): Command {
  return command
    .option(
      "--telemetry",
      "report spans and metrics to the OpenTelemetry SDK that `node --import` started",
    )
    .addOption(
      new Option(
        "--telemetry-content",
        "what is asked, stored and recalled, too; without it no text is reported",
      ).implies({ telemetry: true }),
    );
}

/** Where a warning goes: to the log, if there is one. */
export function warnWith(logger: Logger | undefined): (message: string) => void {
  return (message) => {
    if (logger === undefined) process.stderr.write(`dentate: ${message}\n`);
    else logger.warn({}, message);
  };
}

/**
 * `dentate/telemetry`, where the flags ask for it.
 *
 * @param warn Is told where what is reported goes nowhere.
 */
export async function loadTelemetry(
  { telemetry }: TelemetryFlags,
  warn: (message: string) => void,
): Promise<typeof import("../telemetry/index.js") | undefined> {
  if (!telemetry) return undefined;
  const { trace, metrics, ProxyTracerProvider } = await importPeer<
    typeof import("@opentelemetry/api")
  >(API).catch((cause: Error) => {
    throw new IngestError(`--telemetry: ${cause.message}: npm install ${API}`, { cause });
  });
  const provider = trace.getTracerProvider();
  const traces =
    !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer("dentate");
  // What stands in for a missing meter provider gives the same meter to everybody.
  const measures = metrics.getMeter("dentate") !== metrics.getMeter("dentate", "another");
  if (!traces && !measures) {
    warn("--telemetry: no OpenTelemetry SDK is set up in this process (docs/observability.md)");
  }
  return import("../telemetry/index.js");
}
