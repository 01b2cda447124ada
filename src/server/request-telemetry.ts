import type { ServerResponse } from "node:http";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import type { ServiceEnv } from "./caller.js";

/** What of a request is told to telemetry: neither its path, which names a bank, nor its query. */
export interface RequestHead {
  readonly method: string;
  readonly scheme: string;
  /** The header of this name; undefined if it has none. */
  header(name: string): string | undefined;
}

/** What came of a request. */
export interface RequestOutcome {
  readonly status: number;
  /** The pattern that its path matched; undefined if it matched none. */
  readonly route: string | undefined;
  /** Names the key that it came with. */
  readonly caller: string | undefined;
}

/** A request that is being answered. */
export interface FollowedRequest {
  /** What `work` does belongs to the request. */
  run<T>(work: () => T): T;
  /** It is known what came of it; the answer may still be on its way. */
  answered(outcome: RequestOutcome): void;
  /** The answer is out, or nobody waits for it any longer. */
  end(): void;
}

/** What follows requests as parts of traces; `requestTelemetry` of `dentate/telemetry` makes one. */
export interface RequestTelemetry {
  /** A request has come in. */
  begin(head: RequestHead): FollowedRequest;
  /** What ties a line of a log to what is going on where this is called. */
  logFields(): Readonly<Record<string, string>>;
}

/** Asked every few seconds by what watches over the service. */
const PROBES = new Set(["/healthz", "/readyz", "/metrics"]);

/** Follows each request from its head to the end of its answer. */
export function followRequests(telemetry: RequestTelemetry) {
  return createMiddleware<ServiceEnv>(async (context, next) => {
    const { req } = context;
    if (PROBES.has(req.path)) return next();
    const followed = telemetry.begin({
      method: req.method,
      scheme: new URL(req.url).protocol.slice(0, -1),
      header: (name) => req.header(name),
    });
    await followed.run(next);
    const route = routePath(context, -1);
    const caller: ServiceEnv["Variables"]["caller"] | undefined = context.get("caller");
    followed.answered({
      status: context.res.status,
      // What ends so is a middleware's pattern.
      route: route.endsWith("*") ? undefined : route,
      caller: caller?.id,
    });
    const { outgoing } = (context.env ?? {}) as { outgoing?: ServerResponse };
    // Without a connection there is nothing more to wait for.
    if (outgoing === undefined || outgoing.closed) followed.end();
    else outgoing.once("close", () => followed.end());
  });
}
