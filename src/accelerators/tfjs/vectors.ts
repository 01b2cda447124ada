import type { AcceleratorOptions, CosineMatches, DeviceVectors } from "../accelerator.js";
import { type Block, BlockedRows, inSlices, toBlocks } from "./blocks.js";
import { nearest } from "./nearest.js";
import type { Runtime } from "./runtime.js";
import type { Tensor, TfCore } from "./tf-core.js";

/** Vectors as they were given, and 1 / length of each (0 of zeros): a cosine is a product times that. */
export class TfjsVectors extends BlockedRows implements DeviceVectors {
  readonly dimensions: number;

  constructor(blocks: readonly Block[], count: number, dimensions: number) {
    super(blocks, count);
    this.dimensions = dimensions;
  }

  static async from(
    runtime: Runtime,
    rows: Float32Array,
    dimensions: number,
  ): Promise<TfjsVectors> {
    const count = rows.length / dimensions;
    const blocks = await toBlocks(runtime, count, dimensions, async (first, end) => {
      const values = new Float32Array((end - first) * dimensions);
      const inverse = new Float32Array(end - first);
      await inSlices(runtime, first, end, dimensions, (from, to) => {
        values.set(rows.subarray(from * dimensions, to * dimensions), (from - first) * dimensions);
        for (let row = from; row < to; row++) {
          const length = lengthOf(rows, row, dimensions);
          inverse[row - first] = length === 0 ? 0 : 1 / length;
        }
      });
      return [
        { values, shape: [end - first, dimensions], type: "float32" },
        { values: inverse, shape: [1, end - first], type: "float32" },
      ];
    });
    return new TfjsVectors(blocks, count, dimensions);
  }
}

export async function cosineTopK(
  runtime: Runtime,
  queries: Float32Array,
  vectors: TfjsVectors,
  k: number,
  options: AcceleratorOptions | undefined,
): Promise<CosineMatches> {
  const { dimensions, blocks, count } = vectors;
  const asked = unitRows(queries, dimensions);
  const queryCount = asked.length / dimensions;
  return nearest(
    runtime,
    { blocks, count, width: dimensions, queryCount },
    k,
    (tf, { first, end }, [rows, inverse]) => {
      const own = asked.subarray(first * dimensions, end * dimensions);
      const unit = tf.tensor(own, [end - first, dimensions]);
      return tf.mul(runtime.products(unit, rows!), inverse!);
    },
    options,
  );
}

/** Of each group of ids the sum of the table's rows, of unit length. */
export async function embed(
  runtime: Runtime,
  table: TfjsVectors,
  ids: Uint32Array,
  offsets: Uint32Array,
  options: AcceleratorOptions | undefined,
): Promise<Float32Array> {
  const { dimensions, blocks } = table;
  const groupCount = offsets.length - 1;
  const sums = new Float64Array(groupCount * dimensions);
  const most = Math.max(1, Math.floor(runtime.pace.block / dimensions));
  for (const block of blocks) {
    await block.with(async ([rows]) => {
      for (const tile of tilesOf(ids, offsets, block, most)) {
        await runtime.breathe(options);
        const [found] = await runtime.read((tf) => [segmentSums(runtime, tf, rows!, tile)]);
        const at = tile.firstGroup * dimensions;
        for (let i = 0; i < found!.length; i++) sums[at + i]! += found![i]!;
      }
    });
  }
  return unitRows(sums, dimensions);
}

/** Ids of a block's rows, and the groups that they belong to, counted from the first one. */
interface Tile {
  readonly rows: Int32Array;
  readonly groups: Int32Array;
  readonly firstGroup: number;
  readonly groupCount: number;
}

/** The ids that lie in a block, at most `most` at once, and of at most as many groups. */
function* tilesOf(
  ids: Uint32Array,
  offsets: Uint32Array,
  block: { first: number; count: number },
  most: number,
): Generator<Tile> {
  let rows: number[] = [];
  let groups: number[] = [];
  const tile = (): Tile => ({
    rows: Int32Array.from(rows),
    groups: Int32Array.from(groups, (group) => group - groups[0]!),
    firstGroup: groups[0]!,
    groupCount: groups.at(-1)! - groups[0]! + 1,
  });
  for (let group = 0; group < offsets.length - 1; group++) {
    for (let i = offsets[group]!; i < offsets[group + 1]!; i++) {
      const row = ids[i]! - block.first;
      if (row < 0 || row >= block.count) continue;
      if (rows.length === most || (rows.length > 0 && group - groups[0]! >= most)) {
        yield tile();
        rows = [];
        groups = [];
      }
      rows.push(row);
      groups.push(group);
    }
  }
  if (rows.length > 0) yield tile();
}

/** tfjs-node has one of two kernels for it, wasm the other. */
function segmentSums(runtime: Runtime, tf: TfCore, table: Tensor, tile: Tile): Tensor {
  const rows = tf.tensor(tile.rows, [tile.rows.length], "int32");
  const groups = tf.tensor(tile.groups, [tile.groups.length], "int32");
  return tf.getKernel("SparseSegmentSum", runtime.loaded.registeredAs) === undefined
    ? tf.unsortedSegmentSum(tf.gather(table, rows), groups, tile.groupCount)
    : tf.sparse.sparseSegmentSum(table, rows, groups);
}

/** The rows, of unit length; zeros stay zeros. */
function unitRows(rows: Float32Array | Float64Array, dimensions: number): Float32Array {
  const unit = new Float32Array(rows.length);
  for (let row = 0; row * dimensions < rows.length; row++) {
    const length = lengthOf(rows, row, dimensions);
    if (length === 0) continue;
    for (let i = row * dimensions; i < (row + 1) * dimensions; i++) unit[i] = rows[i]! / length;
  }
  return unit;
}

function lengthOf(rows: Float32Array | Float64Array, row: number, dimensions: number): number {
  let squares = 0;
  for (let i = row * dimensions; i < (row + 1) * dimensions; i++) squares += rows[i]! ** 2;
  return Math.sqrt(squares);
}
