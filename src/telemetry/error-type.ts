import { isDentateError } from "../errors.js";

/**
 * A failure in one word that is never content: a code, or the name of a class. Messages quote what was
 * given, so they are not for this; neither is an error's `name`, which anybody may set.
 */
export function errorType(error: unknown): string {
  if (isDentateError(error)) return error.code;
  return (error instanceof Error && error.constructor.name) || "_OTHER";
}
