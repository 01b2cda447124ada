import type { Runtime } from "./runtime.js";
import type { Tensor, TensorType, TensorValues } from "./tf-core.js";

/** What becomes a tensor. */
export interface Part {
  readonly values: TensorValues;
  readonly shape: readonly number[];
  readonly type: TensorType;
}

/**
 * Consecutive rows, as one or several tensors with a row each a row. They stay on the device while its
 * memory lasts; those that came too late stay with the process, and are copied whenever they are used.
 */
export class Block {
  readonly first: number;
  readonly count: number;
  readonly #runtime: Runtime;
  readonly #bytes: number;
  /** Either on the device or here. */
  #kept: readonly Tensor[] | undefined;
  #parts: readonly Part[] = [];

  constructor(runtime: Runtime, first: number, count: number, parts: readonly Part[]) {
    this.#runtime = runtime;
    this.first = first;
    this.count = count;
    this.#bytes = parts.reduce((sum, { values }) => sum + values.byteLength, 0);
    if (runtime.reserve(this.#bytes)) this.#kept = this.#copy(parts);
    else this.#parts = parts;
  }

  /** The tensors, until `use` has ended. */
  async with<T>(use: (tensors: readonly Tensor[]) => Promise<T>): Promise<T> {
    if (this.#kept !== undefined) return use(this.#kept);
    const copied = this.#copy(this.#parts);
    try {
      return await use(copied);
    } finally {
      for (const tensor of copied) tensor.dispose();
    }
  }

  dispose(): void {
    this.#parts = [];
    if (this.#kept === undefined) return;
    for (const tensor of this.#kept) tensor.dispose();
    this.#kept = undefined;
    this.#runtime.release(this.#bytes);
  }

  #copy(parts: readonly Part[]): Tensor[] {
    return this.#runtime.run((tf) =>
      parts.map(({ values, shape, type }) => tf.tensor(values, shape, type)),
    );
  }
}

/** Rows in blocks: what a driver hands out. */
export class BlockedRows {
  readonly blocks: readonly Block[];
  readonly count: number;
  /** Called once they are disposed of. */
  onDispose: () => void = () => {};

  constructor(blocks: readonly Block[], count: number) {
    this.blocks = blocks;
    this.count = count;
  }

  dispose(): void {
    for (const block of this.blocks) block.dispose();
    this.onDispose();
  }
}

/** Cuts `count` rows of `width` numbers into blocks, each made of the parts that `partsOf` gives of its rows. */
export async function toBlocks(
  runtime: Runtime,
  count: number,
  width: number,
  partsOf: (first: number, end: number) => Promise<readonly Part[]>,
): Promise<Block[]> {
  const { block, products } = runtime.pace;
  const rows = Math.max(1, Math.min(Math.floor(block / width), products));
  const blocks: Block[] = [];
  try {
    for (let first = 0; first < count; first += rows) {
      const end = Math.min(first + rows, count);
      blocks.push(new Block(runtime, first, end - first, await partsOf(first, end)));
    }
  } catch (error) {
    for (const block of blocks) block.dispose();
    throw error;
  }
  return blocks;
}

/** Numbers that are looked at on the JavaScript thread at once: about 1 ms. */
const SLICE = 2 ** 20;

/** Does `work` on rows `[first, end)` some at a time, and lets others have the event loop between. */
export async function inSlices(
  runtime: Runtime,
  first: number,
  end: number,
  width: number,
  work: (first: number, end: number) => void,
): Promise<void> {
  const step = Math.max(1, Math.floor(SLICE / width));
  for (let at = first; at < end; at += step) {
    await runtime.breathe(undefined);
    work(at, Math.min(at + step, end));
  }
}
