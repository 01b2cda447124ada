import { isDentateError } from "../errors.js";

/**
 * What a model is told of a call that failed. What it gave is answered in the library's words, so that it can
 * try another; what went wrong inside is told by its code, since the message may name files.
 */
export function explain(error: unknown): string {
  if (error instanceof TypeError || error instanceof RangeError) return error.message;
  if (isDentateError(error)) return `${error.code}: the store cannot answer now`;
  // The service's own refusals, which are for whoever asks.
  if (error instanceof Error && error.name === "Problem") return error.message;
  return "DENTATE_INTERNAL: the tool failed";
}
