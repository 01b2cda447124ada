#!/usr/bin/env node
import { CommanderError } from "commander";
import { isDentateError } from "../errors.js";
import { IngestError, unwritable } from "../ingest/ingest-error.js";
import { explainMissing, PACKAGES_OF } from "../peers.js";
import { makeProgram } from "./program.js";

const BAD_INPUT = 2;

// Whoever reads may have read enough, as `head` does: no mistake of anybody's.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  process.exit(exitCodeOf(unwritable("to standard output", error)));
});

const program = makeProgram();
try {
  await program.parseAsync();
} catch (error) {
  // `serve` and `mcp` have packages of their own, which `--omit=optional` leaves out.
  const [command] = program.args;
  const names = command === "mcp" ? PACKAGES_OF.mcp : PACKAGES_OF.serve;
  process.exitCode = exitCodeOf(explainMissing(error, names));
}

/** 0 after --help, 2 for a mistake in what was given, 1 for a failure of ours. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : BAD_INPUT;
  // What the library says of a bad argument is already one sentence that names it.
  const mistake =
    error instanceof IngestError || error instanceof TypeError || error instanceof RangeError;
  const message = error instanceof Error ? error.message : String(error);
  // A condition with a code, or a port that is taken, says all there is to say; anything else is a
  // bug, and its stack helps.
  const cannotListen = (error as NodeJS.ErrnoException | undefined)?.syscall === "listen";
  const explained = mistake || cannotListen || isDentateError(error);
  process.stderr.write(`dentate: ${explained ? message : ((error as Error).stack ?? message)}\n`);
  return mistake ? BAD_INPUT : 1;
}
