import { OpenAPIHono } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import type { Memory } from "../memory.js";
import { packageVersion } from "../package.js";
import { authenticate } from "./authenticate.js";
import type { ServiceEnv } from "./caller.js";
import type { KeyRing } from "./keys.js";
import { answerProblem, bodyOf, Problem } from "./problem.js";
import { addAddRoute } from "./routes/add.js";
import { addBankRoutes } from "./routes/banks.js";
import { addEntryRoutes } from "./routes/entries.js";
import { addRecallRoute } from "./routes/recall.js";

/** What a service is made with. */
export interface ServiceOptions {
  readonly memory: Memory;
  /** Whoever has no key of these is turned away; undefined: everybody may do everything. */
  readonly keys?: KeyRing | undefined;
  /** Of a request's body, in bytes; 16 MiB unless given. */
  readonly mostBodyBytes?: number | undefined;
}

const MOST_BODY_BYTES = 16 * 1024 * 1024;

/** The service as an application that answers requests, wherever they come from. */
export function createApp(options: ServiceOptions): OpenAPIHono<ServiceEnv> {
  const { memory, keys, mostBodyBytes = MOST_BODY_BYTES } = options;
  const app = new OpenAPIHono<ServiceEnv>({
    defaultHook: (result, context) => {
      if (result.success) return undefined;
      const [issue] = result.error.issues;
      const where = issue?.path.join(".") || result.target;
      return context.json(bodyOf("BAD_REQUEST", `${where}: ${issue?.message}`), 400);
    },
  });
  app.onError(answerProblem);
  app.notFound((context) => context.json(bodyOf("NOT_FOUND", "there is no such route"), 404));
  app.get("/healthz", (context) => context.json({ status: "ok" }));
  app.doc31("/openapi.json", {
    openapi: "3.1.0",
    info: { title: "Dentate", version: packageVersion(), license: { name: "MIT" } },
  });
  app.use(
    "/v1/*",
    authenticate(keys),
    bodyLimit({
      maxSize: mostBodyBytes,
      onError: () => {
        throw new Problem(413, "TOO_LARGE", `the body is over ${mostBodyBytes} bytes`);
      },
    }),
  );
  addAddRoute(app, memory);
  addRecallRoute(app, memory);
  addEntryRoutes(app, memory);
  addBankRoutes(app, memory);
  return app;
}
