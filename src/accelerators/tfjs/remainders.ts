import type { AcceleratorOptions } from "../accelerator.js";
import type { PackedBatch } from "./groups.js";
import { Held, type Runtime } from "./runtime.js";
import type { Tensor, TfCore } from "./tf-core.js";

/** Below this a length is none. Squares of it are still float32 numbers. */
export const NO_LENGTH = 1e-18;

/** What is left of matrices A when singular vectors are taken out of them. Vectors are matrices x 1 x dimensions. */
export interface Remainder {
  /** Symmetric matrices with the squared singular values as eigenvalues; the caller's. */
  gram(): Tensor;
  /** From their eigenvectors to A's right singular vectors, of unit length; within `run`. */
  vectorsOf(tf: TfCore, eigenvectors: Tensor): Tensor;
  /** Takes vectors out, and gives their values, matrices x 1 x 1: of what is left, which may be rounding alone. */
  takeOut(vectors: Tensor): Tensor;
  dispose(): void;
}

export async function remainderOf(
  runtime: Runtime,
  packed: PackedBatch,
  options: AcceleratorOptions | undefined,
): Promise<Remainder> {
  const { count, rows, dimensions } = packed;
  if (rows > dimensions)
    return new TallRemainder(runtime, await tallGram(runtime, packed, options));
  const shape = [count, rows, dimensions];
  return new WideRemainder(runtime, new Held(runtime.run((tf) => tf.tensor(packed.values, shape))));
}

/** At most as many rows as dimensions: A itself is kept, and AAᵀ made of it each time. */
class WideRemainder implements Remainder {
  readonly #runtime: Runtime;
  readonly #matrix: Held;

  constructor(runtime: Runtime, matrix: Held) {
    this.#runtime = runtime;
    this.#matrix = matrix;
  }

  gram(): Tensor {
    const { tensor } = this.#matrix;
    return this.#runtime.run(() => this.#runtime.multiply(tensor, tensor, true));
  }

  vectorsOf(tf: TfCore, eigenvectors: Tensor): Tensor {
    const { tensor } = this.#matrix;
    const vectors = unit(tf, this.#runtime.multiply(eigenvectors, tensor));
    // Once more through A, which is less rounded than powers of AAᵀ.
    const along = this.#runtime.multiply(vectors, tensor, true);
    return unit(tf, this.#runtime.multiply(along, tensor));
  }

  takeOut(vectors: Tensor): Tensor {
    const [left, values] = this.#runtime.run((tf) => {
      const along = this.#runtime.multiply(this.#matrix.tensor, vectors, true);
      return [
        tf.sub(this.#matrix.tensor, tf.mul(along, vectors)),
        tf.sqrt(tf.sum(tf.square(along), 1, true)),
      ];
    }) as [Tensor, Tensor];
    this.#matrix.replace(left);
    return values;
  }

  dispose(): void {
    this.#matrix.dispose();
  }
}

/** More rows than dimensions: AᵀA is kept. */
class TallRemainder implements Remainder {
  readonly #runtime: Runtime;
  readonly #gram: Held;

  constructor(runtime: Runtime, gram: Held) {
    this.#runtime = runtime;
    this.#gram = gram;
  }

  gram(): Tensor {
    return this.#runtime.run((tf) => tf.clone(this.#gram.tensor));
  }

  vectorsOf(tf: TfCore, eigenvectors: Tensor): Tensor {
    return unit(tf, this.#runtime.multiply(eigenvectors, this.#gram.tensor));
  }

  takeOut(vectors: Tensor): Tensor {
    const [left, values] = this.#runtime.run((tf) => {
      const image = this.#runtime.multiply(vectors, this.#gram.tensor);
      const eigenvalues = tf.sum(tf.mul(image, vectors), 2, true);
      const outer = tf.mul(tf.transpose(vectors, [0, 2, 1]), vectors);
      return [
        tf.sub(this.#gram.tensor, tf.mul(outer, eigenvalues)),
        tf.sqrt(tf.maximum(eigenvalues, tf.scalar(0))),
      ];
    }) as [Tensor, Tensor];
    this.#gram.replace(left);
    return values;
  }

  dispose(): void {
    this.#gram.dispose();
  }
}

/** AᵀA, summed over tiles of rows. */
async function tallGram(
  runtime: Runtime,
  packed: PackedBatch,
  options: AcceleratorOptions | undefined,
): Promise<Held> {
  const { count, rows, dimensions } = packed;
  const step = Math.max(1, Math.floor(runtime.pace.tile / (count * dimensions ** 2)));
  const sum = new Held(runtime.run((tf) => tf.scalar(0)));
  try {
    for (let first = 0; first < rows; first += step) {
      await runtime.breathe(options);
      sum.replace(
        runtime.run((tf) => {
          const end = Math.min(first + step, rows);
          const part = tf.tensor(packed.slice(first, end), [count, end - first, dimensions]);
          return tf.add(sum.tensor, runtime.multiply(tf.transpose(part, [0, 2, 1]), part));
        }),
      );
    }
    return sum;
  } catch (error) {
    sum.dispose();
    throw error;
  }
}

/** Vectors, matrices x 1 x size, of unit length; zeros stay zeros. */
export function unit(tf: TfCore, vectors: Tensor): Tensor {
  const lengths = tf.sqrt(tf.sum(tf.square(vectors), 2, true));
  return tf.div(vectors, tf.maximum(lengths, tf.scalar(NO_LENGTH)));
}
