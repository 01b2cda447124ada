/** A file that cannot be read as conversations. The message is one sentence for a person. */
export class IngestError extends Error {
  override readonly name = "IngestError";
}
