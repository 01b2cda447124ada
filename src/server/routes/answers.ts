import type { z } from "@hono/zod-openapi";
import { ProblemSchema } from "../schemas.js";

/** A JSON answer, for a route's description. */
export function json<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { "application/json": { schema } } };
}

/** A JSON body, for a route's description. */
export function body<T extends z.ZodType>(schema: T) {
  return { required: true, content: { "application/json": { schema } } };
}

/** What every route of a bank may answer besides. */
export const REFUSALS = {
  400: json(ProblemSchema, "the request makes no sense"),
  401: json(ProblemSchema, "no valid API key"),
  403: json(ProblemSchema, "the key may not use this bank"),
  429: json(ProblemSchema, "too many requests; `Retry-After` says when to come back"),
  503: json(ProblemSchema, "the service is stopping, or the store cannot answer now"),
};

export const NOT_FOUND = json(ProblemSchema, "there is no such entry");
