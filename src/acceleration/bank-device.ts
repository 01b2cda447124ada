import type { Operation } from "../accelerators/accelerator.js";
import { MOST_ROWS } from "../accelerators/arguments.js";
import type { Accelerator } from "../accelerators/checked.js";
import type { Selection } from "../accelerators/select.js";
import type { RetrievalRule } from "../atoms/retrieval.js";
import type { Bits } from "../internal/bits.js";
import type { ChunkCandidates } from "../native/chunk-binding.js";
import type { KnownBalls } from "../native/search-binding.js";
import type { NativeView } from "../native/store-binding.js";
import { DeviceAtoms, OPERATION_OF, type StatisticRule } from "./device-atoms.js";
import { DeviceChunks } from "./device-chunks.js";
import { DeviceDictionaries } from "./device-dictionaries.js";
import { proposeRows } from "./nearest-rows.js";
import type { AcceleratorUse } from "./use.js";

/** What is looked for among a bank's chunks. */
export interface ChunkSearch {
  readonly question: Float32Array;
  /** Chunks, by their own cosine. */
  readonly chunks: number;
  /** And all chunks of so many atoms, by a rule. */
  readonly atoms?: { readonly count: number; readonly by: RetrievalRule } | undefined;
  readonly mask: Bits | undefined;
}

/** What a search needs of an accelerator. */
function* operationsOf({ atoms }: ChunkSearch): Iterable<Operation> {
  yield "cosineTopK";
  if (atoms !== undefined && atoms.by !== "best-member") yield OPERATION_OF[atoms.by];
}

/**
 * What of one bank lies on one accelerator, and what is asked of it there: it names candidates, and native
 * code scores these exactly, so that the order is the same with every accelerator and with none.
 *
 * What lies there is brought up to the bank by whoever asks; those who ask at one time do so one after
 * the other.
 */
export class BankDevice {
  readonly accelerator: Accelerator;
  /** Of the bank that it is of: another one of the same name is nothing to it. */
  readonly incarnation: number;
  readonly #chunks: DeviceChunks;
  readonly #atoms = new Map<StatisticRule, DeviceAtoms>();
  readonly #dictionaries: DeviceDictionaries;
  #turn: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  constructor(accelerator: Accelerator, incarnation: number, bits: number) {
    this.accelerator = accelerator;
    this.incarnation = incarnation;
    this.#chunks = new DeviceChunks(accelerator);
    this.#dictionaries = new DeviceDictionaries(accelerator, bits);
  }

  /** What native code is to look at; undefined where it pays to let it look at everything. */
  candidates(
    search: ChunkSearch,
    view: NativeView,
    { paysFrom }: Selection,
    use: AcceleratorUse,
  ): Promise<ChunkCandidates | undefined> {
    return this.#inTurn(async () => {
      await this.#chunks.readTable(view);
      const { work, table } = this.#chunks;
      const operations = [...operationsOf(search)];
      const pays = (operation: Operation) =>
        this.accelerator.can(operation) && work >= paysFrom(operation);
      // What another embedder has made is compared with nothing.
      if (work === 0 || table.dimensions !== search.question.length) return undefined;
      if (!operations.every(pays)) return undefined;
      await this.#chunks.upload(view, use);
      const mask = search.mask ?? view.select({});
      const nearest = await this.#chunks.nearest(search.question, search.chunks, mask, use);
      const places = new Set(nearest.map(({ row }) => row));
      const atoms = await this.#nearestAtoms(search, mask, view, use);
      const isNear = new Set(atoms);
      for (const [place, atom] of table.atoms.entries()) if (isNear.has(atom)) places.add(place);
      const chunks = Uint32Array.from(places, (place) => table.chunks[place]!).sort();
      return { chunks, from: table.nextChunk, atoms: Uint32Array.from(atoms) };
    });
  }

  /** The balls of the signatures; undefined where it pays to let native code find them. */
  balls(
    signatures: BigUint64Array,
    radius: number,
    view: NativeView,
    { paysFrom }: Selection,
    use: AcceleratorUse,
  ): Promise<KnownBalls | undefined> {
    if (!this.accelerator.can("hammingWithin")) return Promise.resolve(undefined);
    const work = this.#dictionaries.workOf(view) * signatures.length;
    if (work === 0 || work < paysFrom("hammingWithin")) return Promise.resolve(undefined);
    return this.#inTurn(async () => {
      await this.#dictionaries.upload(view, use);
      return this.#dictionaries.balls(signatures, radius, view, use);
    });
  }

  /** Gives back what lies on the device, when what runs there has ended. */
  dispose(): Promise<void> {
    this.#isDisposed = true;
    const disposed = this.#turn.then(() => {
      this.#chunks.dispose();
      for (const atoms of this.#atoms.values()) atoms.dispose();
      this.#dictionaries.dispose();
    });
    this.#turn = disposed;
    return disposed;
  }

  /** The atoms that may be among the nearest, ascending. */
  async #nearestAtoms(
    { question, atoms: wanted }: ChunkSearch,
    mask: Bits,
    view: NativeView,
    use: AcceleratorUse,
  ): Promise<number[]> {
    if (wanted === undefined) return [];
    if (wanted.by === "best-member") return this.#byBestMember(question, wanted.count, mask, use);
    const { table } = this.#chunks;
    const living = new Set<number>();
    for (const [place, atom] of table.atoms.entries()) {
      if (!living.has(atom) && this.#chunks.isIn(place, mask)) living.add(atom);
    }
    const device = this.#atoms.get(wanted.by) ?? new DeviceAtoms(this.accelerator, wanted.by);
    this.#atoms.set(wanted.by, device);
    await device.upload(table, view, use);
    const near = await proposeRows(
      (k) => device.fetch(question, k, use),
      device.count,
      wanted.count,
      device.margin,
      (row) => living.has(device.atomAt(row)),
    );
    return near.map(({ row }) => device.atomAt(row)).sort((a, b) => a - b);
  }

  /** The atoms of the nearest chunks, until they are enough. */
  async #byBestMember(
    question: Float32Array,
    count: number,
    mask: Bits,
    use: AcceleratorUse,
  ): Promise<number[]> {
    const { table } = this.#chunks;
    // Members that are not in the mask count for their atom too: it need only have one that is.
    const all = await this.#chunks.fetch(question, MOST_ROWS, use);
    const best = new Map<number, number>();
    const isLiving = new Set<number>();
    for (const { row, score } of all.rows) {
      if (row < 0) continue;
      const atom = table.atoms[row]!;
      if (!best.has(atom)) best.set(atom, score);
      if (this.#chunks.isIn(row, mask)) isLiving.add(atom);
    }
    const ranked = [...best].filter(([atom]) => isLiving.has(atom));
    const least = (ranked[count - 1]?.[1] ?? Number.NEGATIVE_INFINITY) - this.#chunks.margin;
    return ranked
      .filter(([, score]) => score >= least)
      .map(([atom]) => atom)
      .sort((a, b) => a - b);
  }

  #inTurn<T>(work: () => Promise<T | undefined>): Promise<T | undefined> {
    const turn = this.#turn.then(() => (this.#isDisposed ? undefined : work()));
    this.#turn = turn.catch(() => {});
    return turn;
  }
}
