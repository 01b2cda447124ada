import { decodeMetadata } from "./entry-record.js";
import type { CheckedField, FilterNode } from "./filter.js";
import { type Bits, both, either, noBits, setBit, without } from "./internal/bits.js";
import { nextSlice, sliceIsOver } from "./internal/slices.js";
import type { NativeView } from "./native/store-binding.js";
import type { JsonObject, JsonValue } from "./types.js";

/** Entries whose metadata is read without a look at the clock. */
const READ_AT_ONCE = 256;
/** Conditions on metadata that a bank remembers the answers to. */
const MOST_KEPT = 16;

/** For which entries, up to a number, the metadata are so. */
interface Answer {
  bits: Bits;
  /** Entries below it have been looked at. */
  count: number;
}

/** By the condition's text. */
type Answers = Map<string, Answer>;

/**
 * The entries of one bank that a filter selects.
 *
 * Columns (roles, names, times, ids) are answered natively. Metadata are read here, once for each
 * condition: an entry is never changed, so an answer stays right for as long as the bank is the same
 * one, and grows with the bank. The least recently used answers are forgotten.
 *
 * Cost: about a microsecond for each entry with metadata the first time, nothing to speak of later.
 */
export class FilterMasks {
  #answers: Answers = new Map();
  #incarnation = 0;

  /** The view's current entries that the filter selects. */
  select(view: NativeView, filter: FilterNode): Promise<Bits> {
    if (this.#incarnation !== view.incarnation) {
      // Another map: a call that is under way goes on with that of its own bank.
      this.#answers = new Map();
      this.#incarnation = view.incarnation;
    }
    return select(this.#answers, view, filter, view.select({}));
  }
}

async function select(
  answers: Answers,
  view: NativeView,
  node: FilterNode,
  among: Bits,
): Promise<Bits> {
  switch (node.kind) {
    case "columns":
      return both(among, view.select(node.columns));
    case "metadata":
      return both(among, await selectByMetadata(answers, view, node.key, node.fields));
    case "not":
      return without(among, await select(answers, view, node.node, among));
    case "and": {
      let bits = among;
      for (const each of node.nodes) bits = await select(answers, view, each, bits);
      return bits;
    }
    case "or": {
      let bits: Bits = new Uint32Array(among.length);
      for (const each of node.nodes) bits = either(bits, await select(answers, view, each, among));
      return bits;
    }
  }
}

async function selectByMetadata(
  answers: Answers,
  view: NativeView,
  key: string,
  fields: readonly CheckedField[],
): Promise<Bits> {
  const answer = answers.get(key) ?? { bits: noBits(0), count: 0 };
  answers.delete(key);
  answers.set(key, answer);
  for (const oldest of answers.keys()) {
    if (answers.size <= MOST_KEPT) break;
    answers.delete(oldest);
  }
  const ofNone = fields.every(({ matches }) => matches(undefined));
  while (answer.count < view.entryCount) {
    const count = Math.min(READ_AT_ONCE, view.entryCount - answer.count);
    extend(answer, view, count, fields, ofNone);
    // Another call may go on with the same answer meanwhile.
    if (sliceIsOver()) await nextSlice();
  }
  return answer.bits;
}

/** Looks at the next `count` entries. */
function extend(
  answer: Answer,
  view: NativeView,
  count: number,
  fields: readonly CheckedField[],
  ofNone: boolean,
): void {
  const from = answer.count;
  const { bytes, offsets } = view.extras(Uint32Array.from({ length: count }, (_, i) => from + i));
  if (answer.bits.length * 32 < from + count) {
    const grown = noBits(Math.max(from + count, 2 * from));
    grown.set(answer.bits);
    answer.bits = grown;
  }
  for (let i = 0; i < count; i++) {
    const extras = bytes.subarray(offsets[i], offsets[i + 1]);
    if (extras.length === 0 ? ofNone : holdAll(fields, decodeMetadata(extras))) {
      setBit(answer.bits, from + i);
    }
  }
  answer.count += count;
}

function holdAll(fields: readonly CheckedField[], metadata: JsonObject): boolean {
  return fields.every(({ path, matches }) => matches(fieldAt(metadata, path)));
}

/** The field of this name, or else the one that its dots lead to. */
function fieldAt(metadata: JsonObject, path: string): JsonValue | undefined {
  if (Object.hasOwn(metadata, path)) return metadata[path];
  for (let dot = path.indexOf("."); dot >= 0; dot = path.indexOf(".", dot + 1)) {
    const inner = Object.hasOwn(metadata, path.slice(0, dot))
      ? metadata[path.slice(0, dot)]
      : undefined;
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) continue;
    const found = fieldAt(inner as JsonObject, path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}
