import type { Context } from "hono";
import { z } from "zod";
import { Problem } from "../problem.js";
import { MISSPELT, SCOPE_KEYS } from "./scope.js";

const none = (sentence: string) => z.null(sentence).optional();

/** Of a body with ids: none is spelt otherwise. */
export const SPELT = Object.fromEntries(
  Object.entries(MISSPELT).map(([key, meant]) => [key, none(`expected ${meant}`)]),
);

/** Of a body with filters: an id beside them, which would be passed over, has no business there. */
export const WITHIN_FILTERS = {
  ...Object.fromEntries(SCOPE_KEYS.map((key) => [key, none("expected within filters")])),
  ...SPELT,
};

/** A request's JSON, checked. Fields that mem0's platform knows and these routes do not are passed over. */
export async function bodyOf<T extends z.ZodType>(
  context: Context,
  schema: T,
): Promise<z.infer<T>> {
  let json: unknown;
  try {
    json = await context.req.json();
  } catch {
    throw new Problem(400, "BAD_REQUEST", "expected a body of JSON");
  }
  const { success, data, error } = schema.safeParse(json);
  if (success) return data;
  const [issue] = error.issues;
  throw new Problem(400, "BAD_REQUEST", `${issue?.path.join(".") || "body"}: ${issue?.message}`);
}
