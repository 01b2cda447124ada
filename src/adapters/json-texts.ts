import { isPlainObject } from "../internal/check.js";
import { stripRecalled } from "../pack/strip-recalled.js";
import type { JsonObject, JsonValue } from "../types.js";

/**
 * JSON kept as an entry. The texts in it are the entry's content, a line each, where recall finds
 * them; the rest is metadata, with a place in the content for each long text, since metadata is
 * bounded and is not compressed. What was taken apart is put together again exactly.
 *
 * A text that holds what a recall gave with `marked` comes back whole, but only what is new in it is content:
 * a message with its context, kept as part of a conversation, must not be found in place of what it quotes.
 */
export interface Apart {
  readonly content: string;
  readonly rest: JsonValue;
}

/** Texts of at most so many UTF-16 units are in the rest as well, where filters see them. */
const LONGEST_INLINE = 256;
/** Of texts with recalled ones in them, which are in the rest: metadata holds 64 KiB. Longer ones are content. */
const MOST_RECALLED_BYTES = 32 * 1024;
const PLACE = "$text";
const KEPT = "$kept";

/**
 * @param isText Whether a text is something to be found: what it says, not what it is for. Long ones
 * are taken into the content all the same.
 */
export function takeApart(value: JsonValue, isText: (key: string) => boolean = () => true): Apart {
  const lines: string[] = [];
  let length = 0;
  let room = MOST_RECALLED_BYTES;
  const keep = (text: string) => {
    lines.push(text);
    length += text.length + 1;
  };
  const visit = (part: JsonValue, key: string): JsonValue => {
    if (typeof part === "string") {
      const isLong = part.length > LONGEST_INLINE;
      if (!isLong && !isText(key)) return part;
      const said = stripRecalled(part);
      if (said !== part) {
        const bytes = Buffer.byteLength(JSON.stringify(part));
        if (bytes <= room) {
          room -= bytes;
          keep(said);
          return part;
        }
      }
      const start = length;
      keep(part);
      return isLong ? { [PLACE]: [start, start + part.length] } : part;
    }
    if (Array.isArray(part)) return part.map((item: JsonValue) => visit(item, key));
    if (!isPlainObject(part)) return part;
    const mapped = Object.fromEntries(
      // What is undefined is not there, as in JSON.
      Object.entries(part as JsonObject)
        .filter(([, item]) => item !== undefined)
        .map(([name, item]) => [name, visit(item, name)]),
    );
    return PLACE in mapped || KEPT in mapped ? { [KEPT]: mapped } : mapped;
  };
  const rest = visit(value, "");
  return { content: lines.join("\n"), rest };
}

/** What {@link takeApart} was given. */
export function putTogether(content: string, rest: JsonValue): JsonValue {
  if (Array.isArray(rest)) return rest.map((item: JsonValue) => putTogether(content, item));
  if (!isPlainObject(rest)) return rest;
  const object = rest as JsonObject;
  const place = object[PLACE];
  if (Array.isArray(place)) return content.slice(place[0] as number, place[1] as number);
  const inner = (object[KEPT] ?? object) as JsonObject;
  return Object.fromEntries(
    Object.entries(inner).map(([key, item]) => [key, putTogether(content, item)]),
  );
}
