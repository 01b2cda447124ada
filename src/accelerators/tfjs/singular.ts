import type { AcceleratorOptions, Subspaces, VectorGroups } from "../accelerator.js";
import { batchesOf, type Found, PackedBatch } from "./groups.js";
import { NO_LENGTH, remainderOf, unit } from "./remainders.js";
import { Held, type Runtime } from "./runtime.js";
import { findBySvd, hasSvd, SVD_WORK } from "./svd-kernel.js";
import type { Tensor, TfCore } from "./tf-core.js";

/**
 * The first right singular vectors of batches of matrices, by what every backend of tfjs has: products. It has
 * no decomposition but QR.
 *
 * One vector: of A (m x d) let K be A Aᵀ or AᵀA, whichever is smaller. K's eigenvectors are A's singular vectors,
 * the eigenvalues their squared values. Squaring K squares the eigenvalues: after n times the second one's share
 * in K^(2^n) is (λ2 / λ1)^(2^n), and K^(2^n) times a random vector is the first eigenvector. Power iteration
 * would take 2^n steps to get there.
 *
 *   λ2 / λ1          0.9      0.99     0.999    0.9999
 *   after 12         1e-187   1e-18    0.017    0.66
 *   after 18         0        0        1e-114   4e-12
 *
 * Where two values are closer than that any mix of their vectors is as good: it holds the same share of the rows,
 * up to 1e-6. After each squaring K is divided by its largest number, so that nothing overflows; what vanishes
 * is what should.
 *
 * Several: the vector found is taken out of A (or of AᵀA), and the next one is the first of what is left.
 * Each is made orthogonal to those before it.
 *
 * Cost a group: min(m, d)² max(m, d) + 18 min(m, d)³ multiply-adds a vector.
 */
const SQUARINGS = 18;

/** Any: the start is random as far as the rows are concerned, and the same in each run. */
const SEED = 20_260_105;

export async function subspaces(
  runtime: Runtime,
  groups: VectorGroups,
  rank: number,
  options: AcceleratorOptions | undefined,
): Promise<Subspaces> {
  const { dimensions, offsets } = groups;
  const count = offsets.length - 1;
  const result: Subspaces = {
    rank,
    vectors: new Float32Array(count * rank * dimensions),
    values: new Float32Array(count * rank),
  };
  const svd = rank > 1 && hasSvd(runtime);
  const padded = svd ? (size: number) => size : (size: number) => 2 ** Math.ceil(Math.log2(size));
  const most = (rows: number) => {
    const smaller = Math.min(rows, dimensions);
    const work = Math.max(rows * smaller * dimensions, smaller ** 3) * (svd ? SVD_WORK : 1);
    return Math.min(runtime.pace.tile / work, runtime.pace.block / (rows * dimensions));
  };
  for (const batch of batchesOf(offsets, padded, most)) {
    await runtime.breathe(options);
    const packed = new PackedBatch(groups, batch);
    const found = svd
      ? await findBySvd(runtime, packed, rank)
      : await findByPowers(runtime, packed, rank, options);
    packed.write(found, result);
  }
  return result;
}

/** One vector of each matrix after the other. */
async function findByPowers(
  runtime: Runtime,
  packed: PackedBatch,
  rank: number,
  options: AcceleratorOptions | undefined,
): Promise<Found> {
  const left = await remainderOf(runtime, packed, options);
  const vectors: Tensor[] = [];
  const values: Tensor[] = [];
  try {
    while (vectors.length < rank) {
      const first = new Held(await firstEigenvectors(runtime, left.gram(), options));
      first.replace(runtime.run((tf) => orthogonal(tf, left.vectorsOf(tf, first.tensor), vectors)));
      vectors.push(first.tensor);
      values.push(left.takeOut(first.tensor));
    }
    const [found, sigmas] = await runtime.read((tf) => [
      tf.concat(vectors, 1),
      tf.concat(values, 1),
    ]);
    return { vectors: found!, values: sigmas! };
  } finally {
    left.dispose();
    for (const tensor of [...vectors, ...values]) tensor.dispose();
  }
}

/** Of symmetric matrices the eigenvectors of the largest eigenvalues, as matrices x 1 x size; `gram` is used up. */
async function firstEigenvectors(
  runtime: Runtime,
  gram: Tensor,
  options: AcceleratorOptions | undefined,
): Promise<Tensor> {
  const [count, size] = gram.shape as [number, number, number];
  const power = new Held(gram);
  const atOnce = Math.max(1, Math.floor(runtime.pace.tile / (count * size ** 3)));
  try {
    for (let done = 0; done < SQUARINGS; done += atOnce) {
      await runtime.breathe(options);
      power.replace(
        runtime.run((tf) => {
          let each = power.tensor;
          for (let i = done; i < Math.min(done + atOnce, SQUARINGS); i++) {
            const largest = tf.max(tf.abs(each), [1, 2], true);
            each = tf.div(each, tf.maximum(largest, tf.scalar(NO_LENGTH)));
            each = runtime.multiply(each, each);
          }
          return each;
        }),
      );
    }
    return runtime.run((tf) => {
      const start = tf.randomNormal([1, 1, size], 0, 1, "float32", SEED);
      const image = tf.sum(tf.mul(power.tensor, start), 2, false);
      return unit(tf, tf.reshape(image, [count, 1, size]));
    });
  } finally {
    power.dispose();
  }
}

/** Vectors (matrices x 1 x size) of unit length, less what they have in common with those before. */
function orthogonal(tf: TfCore, vector: Tensor, before: readonly Tensor[]): Tensor {
  let left = vector;
  for (const other of before) {
    const along = tf.sum(tf.mul(left, other), 2, true);
    left = tf.sub(left, tf.mul(along, other));
  }
  return before.length === 0 ? vector : unit(tf, left);
}
