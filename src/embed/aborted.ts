import { DentateError } from "../errors.js";

/** What an embedder throws once its caller's signal has fired. */
export function aborted(signal: AbortSignal): DentateError {
  return new DentateError("DENTATE_ABORTED", "the embedding was aborted", { cause: signal.reason });
}
