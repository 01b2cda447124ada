import type { Context } from "hono";
import type { z } from "zod";
import { Problem } from "../problem.js";

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
