import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { readLines } from "../transfer/lines.js";
import { bodyOf, Problem, type ProblemBody } from "./problem.js";

/** How long a service waits for those that it serves, in milliseconds. */
export interface Patience {
  /** For a request's head; 10 seconds unless given. */
  readonly head: number;
  /** For a request's body; of `ingest`, which may go on for ever, for each line. 5 minutes unless given. */
  readonly body: number;
  /** For somebody who takes nothing of an answer; 1 minute unless given. */
  readonly answer: number;
  /** For the next request on a connection; 65 seconds unless given: balancers keep theirs for a minute. */
  readonly idle: number;
}

export const PATIENCE: Patience = { head: 10_000, body: 300_000, answer: 60_000, idle: 65_000 };

/** Requests whose bodies are timed line by line. */
const streams = new WeakSet<object>();

/** The request's body is timed by {@link linesInTime}, and not as a whole. */
export function timeByLines(incoming: object | undefined): void {
  if (incoming !== undefined) streams.add(incoming);
}

/**
 * Cuts off who sends a request a byte at a time, does not take its answer, or asks nothing more: none
 * holds a connection, and what stands behind it, for ever.
 *
 * Node's own `requestTimeout` is one for all requests, and so would end a stream that goes on; hence a
 * timer for each. An answer that is being worked on for long is no reason to cut anybody off.
 */
export function cutOffSlow(server: Server, patience: Patience): void {
  server.headersTimeout = patience.head;
  server.requestTimeout = 0;
  server.keepAliveTimeout = patience.idle;
  const underWay = new WeakMap<Socket, number>();
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    underWay.set(socket, (underWay.get(socket) ?? 0) + 1);
    response.once("close", () => underWay.set(socket, underWay.get(socket)! - 1));
    const timer = setTimeout(() => {
      if (!request.complete && !streams.has(request)) request.socket.destroy();
    }, patience.body);
    timer.unref();
    request.once("close", () => clearTimeout(timer));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    // Where an answer is under way, this would end up in the middle of it.
    if (!socket.writable || (underWay.get(socket) ?? 0) > 0) socket.destroy();
    else socket.end(refusalOf(error.code), () => socket.destroy());
  });
  // Who listens to this has to end connections that are idle, too.
  server.setTimeout(patience.answer, (socket: Socket) => {
    const isIdle = (underWay.get(socket) ?? 0) === 0;
    if (isIdle || socket.writableLength > 0) socket.destroy();
  });
}

/** What Node's parser makes of what is no request, in the shape that all refusals have. */
function refusalOf(code: string | undefined): string {
  const { status, body } = REFUSALS[code ?? ""] ?? REFUSALS["HPE_INVALID"]!;
  const text = JSON.stringify(body);
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`;
}

const REFUSALS: Readonly<Record<string, { readonly status: string; readonly body: ProblemBody }>> =
  {
    ERR_HTTP_REQUEST_TIMEOUT: {
      status: "408 Request Timeout",
      body: bodyOf("TIMED_OUT", "the request's head did not come in time"),
    },
    HPE_HEADER_OVERFLOW: {
      status: "431 Request Header Fields Too Large",
      body: bodyOf("TOO_LARGE", "the request's head is too large"),
    },
    HPE_INVALID: {
      status: "400 Bad Request",
      body: bodyOf("BAD_REQUEST", "expected an HTTP request"),
    },
  };

/**
 * The lines of a stream, each of which has to be there within so many milliseconds from when it was asked
 * for. Empty lines do not count as any.
 *
 * @throws {@link Problem} 408; what {@link readLines} throws.
 */
export async function* linesInTime(
  source: ReadableStream<Uint8Array>,
  longest: number,
  milliseconds: number,
): AsyncGenerator<string> {
  const reader = source.getReader();
  let giveUp: (problem: Problem) => void = () => undefined;
  async function* chunks() {
    for (;;) {
      const chunk = await new Promise<Awaited<ReturnType<typeof reader.read>>>(
        (resolve, reject) => {
          giveUp = reject;
          reader.read().then(resolve, reject);
        },
      );
      if (chunk.done) return;
      yield chunk.value;
    }
  }
  const start = () =>
    setTimeout(
      () => giveUp(new Problem(408, "TIMED_OUT", `no line came within ${milliseconds} ms`)),
      milliseconds,
    );
  let timer = start();
  try {
    for await (const line of readLines(chunks(), longest)) {
      const isLine = line.trim() !== "";
      if (isLine) clearTimeout(timer);
      yield line;
      if (isLine) timer = start();
    }
  } finally {
    clearTimeout(timer);
    // Nobody reads on.
    reader.cancel().catch(() => undefined);
  }
}
