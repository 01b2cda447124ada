import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { IngestError } from "./ingest-error.js";

/**
 * Parses strict JSON, and names the line where it breaks: `JSON.parse` of Node 20 often does not.
 *
 * @throws {@link IngestError} with the line, counted from `firstLine`.
 */
export function parseJson(text: string, name: string, firstLine = 1): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const errors: ParseError[] = [];
    try {
      parse(text, errors, { disallowComments: true, allowTrailingComma: false });
    } catch {
      throw new IngestError(`${name}: broken JSON (nested too deeply)`);
    }
    const [first] = errors;
    const offset = first?.offset ?? text.length;
    const line = firstLine + (text.slice(0, offset).match(/\n/g)?.length ?? 0);
    const what = first === undefined ? "invalid JSON" : words(printParseErrorCode(first.error));
    throw new IngestError(`${name}, line ${line}: broken JSON (${what})`);
  }
}

/** `CloseBraceExpected` as words. */
function words(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
