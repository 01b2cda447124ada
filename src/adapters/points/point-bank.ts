import type { Bank } from "../../bank.js";
import type { Filter } from "../../filter.js";
import type { Entry, JsonObject, JsonValue, Turn } from "../../types.js";
import { deleteEntries, EVERYTHING, entriesOf, slicesOf } from "../entries.js";
import { putTogether, takeApart } from "../json-texts.js";
import { nearest } from "../nearest.js";
import { decodeVector, encodeVector } from "../vectors.js";
import { asked, type Metric, normOf, similarity } from "./similarity.js";

/** A vector with a payload, under an id of the caller's. */
export interface Point {
  readonly id: string | number;
  readonly vector: ArrayLike<number>;
  readonly payload: JsonObject;
}

/** A point as it is held: its entry, and the vector's length. */
export interface HeldPoint extends Point {
  readonly vector: Float32Array;
  readonly entry: string;
  readonly norm: number;
}

export type Scored = readonly [point: HeldPoint, score: number];

/** Payloads of more UTF-16 units as JSON are kept in the content: metadata holds 64 KiB, the vector's too. */
const LARGEST_INLINE = 16 * 1024;

/**
 * A bank of points: an entry each, whose content is what the payload says, where recall finds it, and
 * whose metadata is the rest of the payload and the vector.
 *
 * The points are also held in memory, vectors as float32: d · 4 bytes each and the payload. Before each
 * reading the entries that were taken in since the last one are read; where the count then shows that others
 * were deleted, all are. So it sees what others write to the bank. A search compares with every point that
 * a predicate lets through, n · d multiplications, and is exact.
 *
 * Writes take turns. Of two points of one id, which only writers in two processes can make, the later one counts.
 */
export class PointBank {
  readonly #bank: Bank;
  /** By entry, in the order of adding. */
  #byEntry = new Map<string, HeldPoint>();
  readonly #byId = new Map<string | number, HeldPoint>();
  #readUpTo = 0;
  readonly #inTurn: <T>(act: () => Promise<T>) => Promise<T>;

  /** @param inTurn Acts when nobody else does on this bank. */
  constructor(bank: Bank, inTurn: <T>(act: () => Promise<T>) => Promise<T>) {
    this.#bank = bank;
    this.#inTurn = inTurn;
  }

  /** All points, oldest first. */
  async points(): Promise<HeldPoint[]> {
    return this.#inTurn(async () => {
      await this.#refresh();
      return [...this.#byId.values()];
    });
  }

  async get(ids: readonly (string | number)[]): Promise<HeldPoint[]> {
    return this.#inTurn(async () => {
      await this.#refresh();
      return ids.map((id) => this.#byId.get(id)).filter((point) => point !== undefined);
    });
  }

  /** Adds points, or replaces those of the same id. */
  async upsert(points: readonly Point[], textOf: (payload: JsonObject) => string): Promise<void> {
    await this.#inTurn(async () => {
      await this.#refresh();
      // Of one id twice, the last counts.
      const last = new Map(points.map((point) => [point.id, toTurn(point, textOf(point.payload))]));
      const added: Turn[] = [];
      for (const [id, turn] of last) {
        const held = this.#byId.get(id);
        const { content, metadata } = turn;
        // It may have been deleted by another meanwhile.
        if (held === undefined) added.push(turn);
        else if ((await this.#bank.update(held.entry, { content, metadata })) === undefined) {
          added.push(turn);
        }
      }
      if (added.length > 0) await this.#bank.addMany(added);
    });
  }

  /** Resolves to how many there were. */
  async delete(selects: (point: HeldPoint) => boolean): Promise<number> {
    return this.#inTurn(async () => {
      await this.#refresh();
      const ids = new Set([...this.#byId.values()].filter(selects).map(({ id }) => id));
      // All entries of an id, so that an older one does not come back.
      const entries = [...this.#byEntry.values()].filter(({ id }) => ids.has(id));
      await deleteEntries(
        this.#bank,
        entries.map(({ entry }) => entry),
      );
      for (const { entry, id } of entries) {
        this.#byEntry.delete(entry);
        this.#byId.delete(id);
      }
      return ids.size;
    });
  }

  /** The k points nearest to a vector, nearest first; the older first among equals. */
  async search(
    vector: ArrayLike<number>,
    k: number,
    metric: Metric,
    selects: (point: HeldPoint) => boolean,
  ): Promise<Scored[]> {
    const query = asked(vector);
    return (await this.points())
      .filter(selects)
      .map((point): Scored => [point, similarity(metric, query, point.vector, point.norm)])
      .sort((a, b) => b[1] - a[1])
      .slice(0, k);
  }

  /** The k points that a recall finds for a text, best first, by the share of its words that they hold. */
  async searchText(
    text: string,
    k: number,
    selects: (point: HeldPoint) => boolean,
  ): Promise<Scored[]> {
    const selected = (await this.points()).filter(selects);
    if (selected.length === 0) return [];
    const byEntry = new Map(selected.map((point) => [point.entry, point]));
    const filter = { or: slicesOf([...byEntry.keys()]).map((ids) => ({ ids })) };
    const items = await nearest(this.#bank, text, k, { filter });
    return items
      .flatMap(({ id, reasons }): Scored[] => {
        const point = byEntry.get(id);
        return point === undefined ? [] : [[point, reasons.signature]];
      })
      .sort((a, b) => b[1] - a[1]);
  }

  async #refresh(): Promise<void> {
    // Those of the last millisecond again: more may have come in it.
    await this.#read({ ingestedAt: { gte: this.#readUpTo } });
    if ((await this.#bank.stats()).entries === this.#byEntry.size) return;
    this.#byEntry = new Map();
    await this.#read(EVERYTHING);
  }

  async #read(filter: Filter): Promise<void> {
    const before = this.#byEntry.size;
    let isChanged = before === 0;
    for await (const entry of entriesOf(this.#bank, filter)) {
      isChanged = true;
      this.#byEntry.set(entry.id, toPoint(entry));
      this.#readUpTo = Math.max(this.#readUpTo, entry.ingestedAt.getTime());
    }
    if (!isChanged) return;
    this.#byId.clear();
    for (const point of this.#byEntry.values()) this.#byId.set(point.id, point);
  }
}

function toTurn({ id, vector, payload }: Point, text: string): Turn {
  const isLarge = JSON.stringify(payload).length > LARGEST_INLINE;
  const { content, rest } = isLarge
    ? takeApart(JSON.stringify(payload))
    : takeApart(payload, (key) => text !== "" && payload[key] === text);
  return {
    role: "user",
    content,
    metadata: { pointId: id, payload: rest, vector: encodeVector(Array.from(vector)) },
  };
}

function toPoint({ id: entry, content, metadata }: Entry): HeldPoint {
  const vector = decodeVector(metadata) ?? new Float32Array();
  const payload = putTogether(content, metadata["payload"] ?? {});
  return {
    id: (metadata["pointId"] as string | number | undefined) ?? entry,
    vector,
    norm: normOf(vector),
    payload: (typeof payload === "string"
      ? (JSON.parse(payload) as JsonValue)
      : payload) as JsonObject,
    entry,
  };
}
