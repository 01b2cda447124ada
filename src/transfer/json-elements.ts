import { outOfRange } from "../internal/check.js";
import { LONGEST_LINE } from "./lines.js";

/**
 * The elements of JSON of any length, one at a time. A source is one value or several, one after
 * the other, as in JSONL. Of an array every element is given; of an object that has an array under one of
 * `lists`, the elements of that array, wherever the object's other fields are; any other object is
 * itself an element.
 *
 *   [{..}, {..}]     { "count": 2, "results": [{..}, {..}], "next": null }     {..}\n{..}\n
 *
 * Nothing is held but the element that is being read. Objects under one of `envelopes` are looked
 * into the same way.
 *
 * @throws TypeError where it is no JSON; RangeError where an element is too long.
 */
export async function* jsonElements(
  chunks: AsyncIterable<Uint8Array | string>,
  lists: readonly string[],
  envelopes: readonly string[] = [],
): AsyncGenerator<unknown> {
  const reader = new ElementReader(new Set(lists), new Set(envelopes));
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const chunk of chunks) {
    yield* reader.read(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }));
  }
  yield* reader.read(`${decoder.decode()}\n`);
  reader.end();
}

/** Something that is looked into; anything else is read whole. */
interface Frame {
  readonly kind: "root" | "array" | "object";
  /** Of an object: its own fields, should it turn out to be an element. */
  readonly fields: Record<string, unknown>;
  /** Of an object: the field whose value comes next. */
  key: string | undefined;
  /** Of an object: whether its elements were given. */
  isList: boolean;
}

const BLANK = /[\s,:]/;

class ElementReader {
  readonly #lists: ReadonlySet<string>;
  readonly #envelopes: ReadonlySet<string>;
  readonly #frames: Frame[] = [frame("root")];
  /** The value that is being read whole. */
  #pieces: string[] = [];
  #length = 0;
  #isReading = false;
  #depth = 0;
  #isString = false;
  #isEscaped = false;

  constructor(lists: ReadonlySet<string>, envelopes: ReadonlySet<string>) {
    this.#lists = lists;
    this.#envelopes = envelopes;
  }

  *read(text: string): Generator<unknown> {
    let i = 0;
    while (i < text.length) {
      if (this.#isReading) {
        const end = this.#endOf(text, i);
        this.#keep(text.slice(i, end));
        i = end;
        if (!this.#isReading) yield* this.#take();
        continue;
      }
      const next = text[i]!;
      if (BLANK.test(next)) i++;
      else if (next === "]" || next === "}") {
        yield* this.#leave(next);
        i++;
      } else if (this.#enter(next)) i++;
      else this.#isReading = true;
    }
  }

  end(): void {
    if (this.#isReading || this.#frames.length > 1) throw new TypeError("the JSON ends too early");
  }

  get #top(): Frame {
    return this.#frames.at(-1)!;
  }

  /** Whether the value that begins here is looked into. */
  #enter(first: string): boolean {
    const { kind, key } = this.#top;
    const isNamed = kind === "object" && key !== undefined;
    if (first === "[" && (kind === "root" || (isNamed && this.#lists.has(key)))) {
      if (isNamed) this.#top.isList = true;
      this.#frames.push(frame("array"));
    } else if (first === "{" && (kind === "root" || (isNamed && this.#envelopes.has(key)))) {
      this.#frames.push(frame("object"));
    } else return false;
    return true;
  }

  *#leave(last: string): Generator<unknown> {
    const left = this.#frames.pop()!;
    if (left.kind !== (last === "]" ? "array" : "object")) {
      throw new TypeError(`expected JSON, got a "${last}" that closes nothing`);
    }
    if (left.key !== undefined) throw new TypeError(`expected JSON, got no "${left.key}"`);
    const outer = this.#top;
    if (left.kind === "array") {
      outer.key = undefined;
    } else if (outer.kind === "object") {
      if (left.isList) outer.isList = true;
      else set(outer.fields, outer.key!, left.fields);
      outer.key = undefined;
    } else if (!left.isList) yield left.fields;
  }

  /** A value was read whole: a field's name, its value, or an element. */
  *#take(): Generator<unknown> {
    const text = this.#pieces.join("");
    this.#pieces = [];
    this.#length = 0;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      throw new TypeError(`expected JSON, got ${(cause as Error).message}`, { cause });
    }
    const top = this.#top;
    if (top.kind !== "object") yield value;
    else if (top.key === undefined) top.key = String(value);
    else {
      set(top.fields, top.key, value);
      top.key = undefined;
    }
  }

  #keep(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > LONGEST_LINE) {
      throw outOfRange("source", `values of at most ${LONGEST_LINE} characters`, this.#length);
    }
  }

  /** How far the value goes that is being read. */
  #endOf(text: string, from: number): number {
    for (let i = from; i < text.length; i++) {
      const next = text[i]!;
      if (this.#isString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (next === "\\") this.#isEscaped = true;
        else if (next === '"') {
          this.#isString = false;
          if (this.#depth === 0) return this.#done(i + 1);
        }
      } else if (next === '"') this.#isString = true;
      else if (next === "{" || next === "[") this.#depth++;
      else if (next === "}" || next === "]") {
        // What closes what is outside ends a number or a word, too.
        if (this.#depth === 0) return this.#done(i);
        if (--this.#depth === 0) return this.#done(i + 1);
      } else if (this.#depth === 0 && BLANK.test(next)) return this.#done(i);
    }
    return text.length;
  }

  #done(end: number): number {
    this.#isReading = false;
    return end;
  }
}

function frame(kind: Frame["kind"]): Frame {
  return { kind, fields: {}, key: undefined, isList: false };
}

/** Not by assignment: a key may be `__proto__`. */
function set(fields: object, key: string, value: unknown): void {
  Object.defineProperty(fields, key, {
    ...{ value, enumerable: true, configurable: true, writable: true },
  });
}
