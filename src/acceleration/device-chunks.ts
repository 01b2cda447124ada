import type { DeviceVectors } from "../accelerators/accelerator.js";
import type { Accelerator } from "../accelerators/checked.js";
import { type Bits, hasBit } from "../internal/bits.js";
import type { ChunkTable } from "../native/chunk-binding.js";
import type { NativeView } from "../native/store-binding.js";
import { type Proposal, proposalOf, proposeRows, type ScoredRow } from "./nearest-rows.js";
import { quantized } from "./quantized.js";
import type { AcceleratorUse } from "./use.js";

/** Blocks of chunks that lie on the device one after the other, before they are made one again. */
const MOST_BLOCKS = 8;
/** Beside an accelerator's own tolerance: a component of the question that is rounded otherwise. */
const ROUNDING = 1e-3;

const NO_TABLE: ChunkTable = {
  version: 0,
  chunks: new Uint32Array(0),
  atoms: new Uint32Array(0),
  offsets: Uint32Array.of(0),
  entries: new Uint32Array(0),
  nextChunk: 0,
  dimensions: 0,
};

interface Block {
  readonly vectors: DeviceVectors;
  /** Numbers of the chunks, ascending. */
  readonly chunks: Uint32Array;
}

/**
 * The vectors of a bank's chunks on an accelerator. What came since the last time is put behind the
 * others, a block more; chunks that died stay until they are many, and are not looked at.
 *
 *   device   |------ chunks 0 .. 9,000 ------|-- .. 9,400 --|- .. 9,450 -|
 *   table    the chunks that live, by number, with their atoms and entries
 */
export class DeviceChunks {
  readonly #accelerator: Accelerator;
  #blocks: Block[] = [];
  #table: ChunkTable = NO_TABLE;
  /** The place of each living chunk in the table. */
  #placeOf = new Map<number, number>();

  constructor(accelerator: Accelerator) {
    this.#accelerator = accelerator;
  }

  /** The chunks as they were at the last {@link refresh}. */
  get table(): ChunkTable {
    return this.#table;
  }

  /** Multiply-adds of a search. */
  get work(): number {
    return this.#table.chunks.length * this.#table.dimensions;
  }

  /** Takes in what has changed in the table alone; whether anything has. */
  async readTable(view: NativeView): Promise<boolean> {
    const table = await view.chunkTable({ known: this.#table.version });
    if (table.version === this.#table.version) return false;
    this.#table = table;
    this.#placeOf = new Map(Array.from(table.chunks, (chunk, i) => [chunk, i]));
    return true;
  }

  /** Brings the vectors on the device up to the table. */
  async upload(view: NativeView, use: AcceleratorUse): Promise<void> {
    const { chunks, dimensions } = this.#table;
    const held = this.#blocks.reduce((sum, block) => sum + block.chunks.length, 0);
    const isOther = this.#blocks.some(({ vectors }) => vectors.dimensions !== dimensions);
    const last = this.#blocks.at(-1)?.chunks.at(-1) ?? -1;
    const fresh = chunks.subarray(firstAbove(chunks, last));
    const living = chunks.length - fresh.length;
    // Mostly dead, or of another bank of this name.
    if (isOther || 2 * living < held) {
      this.dispose();
      await this.#push(chunks, view, use);
    } else if (fresh.length > 0) {
      await this.#push(fresh, view, use);
    }
    if (this.#blocks.length > MOST_BLOCKS || this.#isTopHeavy()) {
      this.dispose();
      await this.#push(chunks, view, use);
    }
  }

  /**
   * The chunks that may be among the `need` nearest of those with an entry in `mask`, by their place in
   * the table, best first as far as the accelerator can tell.
   */
  nearest(
    question: Float32Array,
    need: number,
    mask: Bits,
    use: AcceleratorUse,
  ): Promise<ScoredRow[]> {
    const count = this.#blocks.reduce((sum, block) => sum + block.chunks.length, 0);
    const wanted = (row: number) => row >= 0 && this.isIn(row, mask);
    return proposeRows((k) => this.fetch(question, k, use), count, need, this.margin, wanted);
  }

  /** The nearest rows of each block, by their places in the table; -1: a chunk that has died. */
  async fetch(question: Float32Array, k: number, use: AcceleratorUse): Promise<Proposal> {
    // Native code compares vectors of whole numbers with one of whole numbers: the same one.
    const query = quantized(question);
    const { signal } = use;
    const matches = [];
    for (const { vectors } of this.#blocks) {
      matches.push(
        await use.run("cosineTopK", this.#accelerator, () =>
          this.#accelerator.cosineTopK(query, vectors, Math.max(1, k), { signal }),
        ),
      );
    }
    const { rows, floor } = proposalOf(
      matches,
      this.#blocks.map(({ chunks }) => chunks.length),
    );
    const placed = rows.map(({ block, row, score }) => {
      return { row: this.#placeOf.get(this.#blocks[block]!.chunks[row]!) ?? -1, score };
    });
    return { rows: placed, floor };
  }

  /** By how much two scores may seem to be in the wrong order. */
  get margin(): number {
    const { tolerance } = this.#accelerator.manifest.operations.cosineTopK!;
    return 2 * (tolerance + ROUNDING);
  }

  /** Whether one of the chunk's entries is in the mask. */
  isIn(place: number, mask: Bits): boolean {
    const { offsets, entries } = this.#table;
    for (let i = offsets[place]!; i < offsets[place + 1]!; i++) {
      if (hasBit(mask, entries[i]!)) return true;
    }
    return false;
  }

  dispose(): void {
    for (const { vectors } of this.#blocks) vectors.dispose();
    this.#blocks = [];
  }

  async #push(chunks: Uint32Array, view: NativeView, use: AcceleratorUse): Promise<void> {
    if (chunks.length === 0) return;
    const rows = await view.chunkVectors({ chunks });
    const { dimensions } = this.#table;
    const vectors = await use.guard(() => this.#accelerator.vectors(rows, dimensions));
    this.#blocks.push({ vectors, chunks: chunks.slice() });
  }

  /** Whether what came later is as much as what was there. */
  #isTopHeavy(): boolean {
    const [first, ...later] = this.#blocks;
    if (first === undefined) return false;
    return later.reduce((sum, { chunks }) => sum + chunks.length, 0) >= first.chunks.length;
  }
}

/** The first index of an ascending list that has a number above `number`. */
function firstAbove(numbers: Uint32Array, number: number): number {
  const index = numbers.findIndex((each) => each > number);
  return index === -1 ? numbers.length : index;
}
