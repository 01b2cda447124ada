/** A file that cannot be read as conversations. The message is one sentence for a person. */
export class IngestError extends Error {
  override readonly name = "IngestError";
}

/** The error for a file that the operating system doesn't let us read. */
export function unreadable(file: string, cause: unknown): IngestError {
  return new IngestError(`cannot read ${file}: ${reasonOf(cause as NodeJS.ErrnoException)}`, {
    cause,
  });
}

/** The error for a file, or a stream, that the operating system doesn't let us write. */
export function unwritable(file: string, cause: unknown): IngestError {
  return new IngestError(`cannot write ${file}: ${reasonOf(cause as NodeJS.ErrnoException)}`, {
    cause,
  });
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === "ENOENT") return "no such file";
  if (code === "EISDIR") return "it is a directory";
  if (code === "EACCES") return "permission denied";
  if (code === "ENOSPC") return "no space left";
  return code ?? message;
}
