import { outOfRange } from "../internal/check.js";

/** The longest line, in bytes: the longest content, all of it escaped, and the largest metadata. */
export const LONGEST_LINE = 256 * 1024 * 1024;

/**
 * The lines of a stream of UTF-8: what lies between line feeds. (Not `readline`, for which U+2028
 * ends a line as well, which JSON leaves as it is.)
 *
 * @throws TypeError where it is no UTF-8; RangeError where a line is too long.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  longest = LONGEST_LINE,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let pending: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      pending.push(text.slice(from, end));
      yield pending.join("");
      pending = [];
      length = 0;
      from = end + 1;
    }
    pending.push(text.slice(from));
    length += text.length - from;
    if (length > longest) {
      throw outOfRange("source", `lines of at most ${longest} bytes`, length);
    }
  }
  const rest = pending.join("") + decoder.decode();
  if (rest !== "") yield rest;
}
