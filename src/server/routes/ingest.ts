import type { OpenAPIHono } from "@hono/zod-openapi";
import { stream } from "hono/streaming";
import { isDentateError } from "../../errors.js";
import type { Memory } from "../../memory.js";
import type { Turn } from "../../types.js";
import { expectBank } from "../authenticate.js";
import type { BankQuota } from "../bank-quota.js";
import type { ServiceEnv } from "../caller.js";
import { linesInTime, timeByLines } from "../patience.js";
import { bodyOf, Problem } from "../problem.js";
import { IngestQuery } from "../schemas.js";

const NDJSON = "application/x-ndjson";
const BATCH = 256;
/** A batch waits in memory until it is full: of lines, or of UTF-16 units. */
const BATCH_LENGTH = 4 * 1024 * 1024;

/**
 * `POST /v1/banks/{bank}/ingest`: turns as lines of JSON, of any number. They are stored in batches as
 * they come, and each batch is answered with a line when it is on disk, so that a sender which is cut
 * off knows how far it got; with `?dedupe=true` it may as well send all of it again. A line is at most as long as another request's body, and has as long to
 * come. What is wrong with one ends the stream with a line that says so; the batches before it stay.
 *
 * @param onError Is told what failed inside, since the answer's status was out before.
 */
export function addIngestRoute(
  app: OpenAPIHono<ServiceEnv>,
  memory: Memory,
  quota: BankQuota,
  most: { readonly bytes: number; readonly milliseconds: number },
  onError: (error: Error) => void,
): void {
  app.openAPIRegistry.registerPath({
    method: "post",
    path: "/v1/banks/{bank}/ingest",
    summary: "Add turns as lines of JSON; each batch is answered when it is on disk",
    request: {
      query: IngestQuery,
      body: { required: true, content: { [NDJSON]: { schema: { type: "string" } } } },
    },
    responses: {
      200: {
        description: "a line of `{ results }` for each batch, or of `{ error }`",
        content: { [NDJSON]: { schema: { type: "string" } } },
      },
    },
  });
  app.post("/v1/banks/:bank/ingest", async (context) => {
    const bank = context.req.param("bank");
    const caller = context.get("caller");
    expectBank(caller, bank);
    const options = optionsOf(context.req.query());
    const source = context.req.raw.body;
    if (source === null) throw new Problem(400, "BAD_REQUEST", "there is no body");
    const to = memory.bank(bank);
    timeByLines((context.env as { readonly incoming?: object } | undefined)?.incoming);
    const lines = linesInTime(source, most.bytes, most.milliseconds);
    context.header("Content-Type", NDJSON);
    return stream(context, async (answer) => {
      const write = (line: object) => answer.write(`${JSON.stringify(line)}\n`);
      try {
        for await (const turns of batches(lines)) {
          const results = await quota.within(caller, bank, () => to.addMany(turns, options));
          await write({ results });
        }
      } catch (error) {
        if (error instanceof Problem) {
          await write(bodyOf(error.code, error.message));
          return;
        }
        if (isDentateError(error)) onError(error);
        const isTheirs = error instanceof TypeError || error instanceof RangeError;
        const message = isTheirs ? error.message : "the store cannot take more now";
        await write(bodyOf(isTheirs ? "BAD_REQUEST" : "DENTATE_UNAVAILABLE", message));
      }
    });
  });
}

/** @throws {@link Problem} 400 for an option that is none: passed over, more would be stored than was meant. */
function optionsOf(query: object): { readonly dedupe: boolean; readonly stripRecalled: boolean } {
  const { success, data, error } = IngestQuery.safeParse(query);
  if (!success) throw new Problem(400, "BAD_REQUEST", error.issues[0]!.message);
  return { dedupe: data.dedupe === "true", stripRecalled: data.stripRecalled === "true" };
}

async function* batches(lines: AsyncIterable<string>): AsyncGenerator<Turn[]> {
  let batch: Turn[] = [];
  let length = 0;
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === "") continue;
    batch.push(parseTurn(line, number));
    length += line.length;
    if (batch.length < BATCH && length < BATCH_LENGTH) continue;
    yield batch;
    batch = [];
    length = 0;
  }
  if (batch.length > 0) yield batch;
}

function parseTurn(line: string, number: number): Turn {
  try {
    return JSON.parse(line) as Turn;
  } catch {
    throw new TypeError(`line ${number}: expected JSON`);
  }
}
