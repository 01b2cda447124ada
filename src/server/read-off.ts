import type { MiddlewareHandler } from "hono";

/** More than this is not read for nobody. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Holds the answer of a request that is refused until what nobody wanted of its body has come. Answered
 * before, its sender takes the connection for one to send the next request on, while the server, which
 * gives the rest of the body half a second, is about to close it.
 *
 * Who sends more than 64 MiB, or without saying how much, is answered at once, and may be cut off.
 */
export const readOffRefused: MiddlewareHandler = async (context, next) => {
  await next();
  const { raw, method } = context.req;
  if (context.res.status < 400 || method === "GET" || method === "HEAD") return;
  if (raw.bodyUsed || raw.body === null || raw.body.locked) return;
  if (Number(raw.headers.get("Content-Length") ?? Number.NaN) <= MOST_BYTES) {
    // Where it fails there is nobody to answer.
    await raw.body.pipeTo(new WritableStream()).catch(() => undefined);
  }
};
