import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import type { ServiceEnv } from "./caller.js";
import { Problem } from "./problem.js";

/**
 * Refuses bodies of more than so many bytes. One that says its length is judged by it (Node ends a request
 * that sends more), and not touched: Hono's own middleware asks every request for its body as a stream,
 * and to make one takes as long as all the rest of what comes before a route.
 */
export function limitBody(mostBytes: number) {
  const refuse = (): never => {
    throw new Problem(413, "TOO_LARGE", `the body is over ${mostBytes} bytes`);
  };
  const counted = bodyLimit({ maxSize: mostBytes, onError: refuse });
  return createMiddleware<ServiceEnv>((context, next) => {
    const { req } = context;
    if (req.method === "GET" || req.method === "HEAD") return next();
    const length = req.header("content-length");
    if (length === undefined || req.header("transfer-encoding") !== undefined) {
      return counted(context, next);
    }
    return Number(length) > mostBytes ? refuse() : next();
  });
}
