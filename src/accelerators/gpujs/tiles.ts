import { nextSlice, sliceIsOver } from "../../internal/slices.js";
import type { GpuInput, GpuKernel } from "./library.js";
import type { Session } from "./session.js";

/** Rows in a multiple of this: as many as `webasm` computes at once. */
const LANES = 4;
/** Rows that are transposed together, so that what is read of them stays in the cache. */
const BLOCK = 64;

/** Writes number j of a row of the source to `target[j * stride + at]`, of `rows` rows from `first` on. */
export type Packer = (target: Float32Array, stride: number, first: number, rows: number) => void;

interface Tile {
  /** Its first row, and how many it has; what fills it up is zero. */
  readonly first: number;
  readonly count: number;
  readonly rows: GpuInput;
  /** Holds the rows; undefined where they have to be passed. */
  readonly kernel: GpuKernel | undefined;
}

/**
 * Rows, transposed and cut into tiles. A tile that finds room is a constant of its own kernel, which
 * uploads it once: a texture, a buffer, or part of a WebAssembly memory. What is beyond the limit is
 * passed with each query to one kernel that all such tiles share, so they have one length.
 */
export class Tiles {
  readonly #session: Session;
  readonly #tiles: Tile[] = [];
  #passing: GpuKernel | undefined;

  private constructor(session: Session) {
    this.#session = session;
  }

  /** Packs `count` rows of `width` numbers for a kernel. */
  static async of(
    session: Session,
    count: number,
    width: number,
    source: (rows: string) => string,
    pack: Packer,
  ): Promise<Tiles> {
    const tiles = new Tiles(session);
    const most = Math.max(1, Math.floor(session.limits.tileNumbers / width / LANES)) * LANES;
    const padded = Math.min(most, Math.ceil(count / LANES) * LANES);
    for (let first = 0; first < count; first += padded) {
      const own = Math.min(padded, count - first);
      const values = new Float32Array(padded * width);
      for (let at = 0; at < own; at += BLOCK) {
        if (sliceIsOver()) await nextSlice();
        pack(values.subarray(at), padded, first + at, Math.min(BLOCK, own - at));
      }
      const rows = session.input(values, [padded, width]);
      const kernel = session.keep(source, padded, rows);
      if (kernel === undefined) tiles.#passing ??= session.pass(source, padded);
      tiles.#tiles.push({ first, count: own, rows, kernel });
    }
    return tiles;
  }

  /** What the kernel makes of a query, a tile after the other: number i is of row `first + i`. */
  async *numbers(
    query: Float32Array,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<{ readonly first: number; readonly numbers: Float32Array }> {
    const asked = this.#session.input(query, [query.length]);
    for (const { first, count, rows, kernel } of this.#tiles) {
      if (sliceIsOver()) await nextSlice();
      signal?.throwIfAborted();
      const run = kernel ?? this.#passing!;
      const numbers = await (kernel === undefined ? run(asked, rows) : run(asked));
      this.#session.assertMode(run);
      yield { first, numbers: numbers.subarray(0, count) };
    }
  }

  dispose(): void {
    for (const { kernel, rows } of this.#tiles.splice(0)) {
      if (kernel !== undefined) this.#session.release(kernel, rows);
    }
    this.#passing?.destroy();
    this.#passing = undefined;
  }
}
