import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type ErrorCode, isDentateError } from "../errors.js";

/** What the service refuses for reasons of its own; the rest are the engine's {@link ErrorCode}s. */
export type ServiceCode =
  | "BAD_REQUEST"
  | "UNAUTHORIZED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "CONFLICT"
  | "TOO_LARGE"
  | "TIMED_OUT"
  | "RATE_LIMITED"
  | "SHUTTING_DOWN";

/** The body of every answer that is not a success. */
export interface ProblemBody {
  readonly error: { readonly code: ServiceCode | ErrorCode; readonly message: string };
}

/** Thrown by routes and middleware: becomes the answer. */
export class Problem extends Error {
  override readonly name = "Problem";

  constructor(
    readonly status: ContentfulStatusCode,
    readonly code: ServiceCode,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

const STATUS_OF: Readonly<Record<ErrorCode, ContentfulStatusCode>> = {
  DENTATE_CLOSED: 503,
  DENTATE_LOCKED: 503,
  DENTATE_CORRUPTION: 500,
  DENTATE_VERSION: 500,
  DENTATE_MISMATCH: 409,
  DENTATE_KEY: 500,
  DENTATE_IO: 500,
  DENTATE_OUT_OF_MEMORY: 503,
  DENTATE_UNAVAILABLE: 503,
  DENTATE_ABORTED: 503,
  DENTATE_INTERNAL: 500,
};

/**
 * The answer to what went wrong. What the caller did wrong is told to it in full; what went wrong
 * inside is told by its code alone, since its message may name files of this machine.
 */
export function answerProblem(error: unknown, context: Context): Response {
  if (error instanceof Problem) {
    return context.json(bodyOf(error.code, error.message), error.status, { ...error.headers });
  }
  if (isDentateError(error)) {
    const status = STATUS_OF[error.code];
    const message = status === 409 ? error.message : "the store cannot answer now";
    return context.json(bodyOf(error.code, message), status);
  }
  // The framework has its own for a body that is no JSON, or doesn't say that it is.
  if (error instanceof HTTPException) {
    const message =
      error.status === 415 ? "content-type: expected application/json" : error.message;
    return context.json(bodyOf("BAD_REQUEST", message), error.status);
  }
  // The engine checks its arguments, and these are the request's.
  if (error instanceof TypeError || error instanceof RangeError) {
    return context.json(bodyOf("BAD_REQUEST", error.message), 400);
  }
  return context.json(bodyOf("DENTATE_INTERNAL", "the service failed"), 500);
}

export function bodyOf(code: ServiceCode | ErrorCode, message: string): ProblemBody {
  return { error: { code, message } };
}
