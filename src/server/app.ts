import { OpenAPIHono } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import type { Memory } from "../memory.js";
import { packageVersion } from "../package.js";
import { addPage } from "../ui/page-files.js";
import { authenticate, expectWatcher } from "./authenticate.js";
import { BankQuota, quotaBank } from "./bank-quota.js";
import { addBasics } from "./basics.js";
import { limitBody } from "./body-limit.js";
import type { ServiceEnv } from "./caller.js";
import { idempotent } from "./idempotency.js";
import type { KeyRing } from "./keys.js";
import { addEntityRoutes } from "./mem0/entities.js";
import { addMemoryRoutes } from "./mem0/memories.js";
import { ServiceMetrics } from "./metrics.js";
import { PATIENCE, type Patience } from "./patience.js";
import { bodyOf, Problem } from "./problem.js";
import { limitRate, type RateLimit } from "./rate-limit.js";
import type { Logger } from "./request-log.js";
import type { RequestTelemetry } from "./request-telemetry.js";
import { addAddRoute } from "./routes/add.js";
import { addAdminRoutes } from "./routes/admin.js";
import { addBankRoutes } from "./routes/banks.js";
import { addEntryRoutes } from "./routes/entries.js";
import { addIngestRoute } from "./routes/ingest.js";
import { addLookRoutes } from "./routes/look.js";
import { McpRoutes } from "./routes/mcp.js";
import { addRecallRoute } from "./routes/recall.js";

/** What a service is made with. */
export interface ServiceOptions {
  readonly memory: Memory;
  /** Whoever has no key of these is turned away; undefined: everybody may do everything. */
  readonly keys?: KeyRing | undefined;
  /** Of a request's body, in bytes; 16 MiB unless given. */
  readonly mostBodyBytes?: number | undefined;
  /** Banks that a key may make; 100,000 unless given. */
  readonly mostBanks?: number | undefined;
  /** Of each key; none unless given. */
  readonly rateLimit?: RateLimit | undefined;
  /** How long it waits for those that it serves. */
  readonly patience?: Partial<Patience> | undefined;
  /** The folder that `POST /v1/admin/backup` copies to; without one it does not. */
  readonly backups?: string | undefined;
  /** Is given a line for each request; nothing is logged unless given. */
  readonly logger?: Logger | undefined;
  /** Follows requests as parts of traces: `requestTelemetry` of `dentate/telemetry`. */
  readonly telemetry?: RequestTelemetry | undefined;
}

/** An application, and what turns it away from new work. */
export interface ServiceApp {
  readonly app: OpenAPIHono<ServiceEnv>;
  /** From now on `/readyz` says no, so that a balancer sends nothing more here. */
  drain(): void;
  /** Ends what would go on for ever: the streams of MCP's sessions. */
  leave(): Promise<void>;
}

const MOST_BODY_BYTES = 16 * 1024 * 1024;
const MOST_BANKS = 100_000;
/** Streams have no end that could be told from their beginning; their lines are bounded. */
const VERSIONED = "/:version{v[123]}/*";
const STREAMED = /^\/v1\/banks\/[^/]+\/ingest$/;
/** Its requests are numbered by the protocol, and its answers may be streams. */
const MCP = /^\/v1\/banks\/[^/]+\/mcp$/;

/** What is packed may unpack to any size: nothing here does, and a sender hears so at once. */
const plainBodies = createMiddleware<ServiceEnv>(async (context, next) => {
  const encoding = context.req.header("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new Problem(415, "BAD_REQUEST", "Content-Encoding: expected none");
  }
  await next();
});

/** The service as an application that answers requests, wherever they come from. */
export function createApp(options: ServiceOptions): ServiceApp {
  const { memory, keys, logger, telemetry, rateLimit, backups } = options;
  const { mostBodyBytes = MOST_BODY_BYTES, mostBanks = MOST_BANKS } = options;
  const app = new OpenAPIHono<ServiceEnv>({
    defaultHook: (result, context) => {
      if (result.success) return undefined;
      const [issue] = result.error.issues;
      const target = result.target === "json" ? "body" : result.target;
      const where = issue?.path.join(".") || target;
      return context.json(bodyOf("BAD_REQUEST", `${where}: ${issue?.message}`), 400);
    },
  });
  const metrics = new ServiceMetrics(memory);
  const quota = new BankQuota(memory, mostBanks);
  const drain = addBasics(app, { count: metrics.middleware, telemetry, logger });
  // For a person with a browser.
  app.get("/", (context) => context.redirect("ui/"));
  app.doc31("/openapi.json", {
    openapi: "3.1.0",
    info: { title: "Dentate", version: packageVersion(), license: { name: "MIT" } },
  });

  addPage(app);

  const authenticated = authenticate(keys);
  app.get("/metrics", authenticated, async (context) => {
    expectWatcher(context.get("caller"));
    context.header("Content-Type", metrics.registry.contentType);
    return context.body(await metrics.registry.metrics());
  });
  // /v2 and /v3 are mem0's.
  app.use(VERSIONED, authenticated);
  // One, so that a key has what it may ask whichever way it asks.
  const rated = rateLimit === undefined ? undefined : limitRate(rateLimit);
  if (rated !== undefined) app.use(VERSIONED, rated);
  const limited = limitBody(mostBodyBytes);
  app.use(VERSIONED, plainBodies);
  const idempotently = idempotent();
  app.use(VERSIONED, (context, next) =>
    STREAMED.test(context.req.path) ? next() : limited(context, next),
  );
  app.use(VERSIONED, (context, next) =>
    STREAMED.test(context.req.path) || MCP.test(context.req.path)
      ? next()
      : idempotently(context, next),
  );
  const mcp = new McpRoutes({
    hasKeys: keys !== undefined,
    mostBodyBytes,
    bankOf: (caller, name) => quotaBank(memory.bank(name), quota, caller),
    onError: (error) => logger?.error({ err: error, ...telemetry?.logFields() }, "a tool failed"),
  });
  app.use("/mcp", authenticated);
  if (rated !== undefined) app.use("/mcp", rated);
  app.use("/mcp", limited);
  mcp.addOwn(app);
  mcp.addEach(app);
  addAdminRoutes(app, memory, backups);
  const lines = { bytes: mostBodyBytes, milliseconds: options.patience?.body ?? PATIENCE.body };
  addIngestRoute(app, memory, quota, lines, (error) =>
    logger?.error({ err: error, ...telemetry?.logFields() }, "a stream failed"),
  );
  addAddRoute(app, memory, quota);
  addRecallRoute(app, memory);
  addLookRoutes(app, memory);
  addEntryRoutes(app, memory);
  addBankRoutes(app, memory, quota);
  addMemoryRoutes(app, memory, quota);
  addEntityRoutes(app, memory);
  return { app, drain, leave: () => mcp.leave() };
}
