/**
 * The numerical part of `npm run distill`: principal components of word vectors, and their int8 form.
 *
 * Vectors are rows of a row-major Float64Array.
 */

/** Scales each row to unit length, in place. */
export function normalizeRows(rows, dimensions) {
  for (let start = 0; start < rows.length; start += dimensions) {
    let sum = 0;
    for (let k = 0; k < dimensions; k++) sum += rows[start + k] ** 2;
    const scale = 1 / Math.max(Math.sqrt(sum), 1e-12);
    for (let k = 0; k < dimensions; k++) rows[start + k] *= scale;
  }
}

/** Subtracts from each row the mean of the rows that `isFitted(row)` selects, in place. */
export function centreRows(rows, dimensions, isFitted) {
  const mean = new Float64Array(dimensions);
  let count = 0;
  for (let row = 0; row * dimensions < rows.length; row++) {
    if (!isFitted(row)) continue;
    count++;
    for (let k = 0; k < dimensions; k++) mean[k] += rows[row * dimensions + k];
  }
  for (let i = 0; i < rows.length; i++) rows[i] -= mean[i % dimensions] / count;
}

/** Sum of the outer products of the selected rows. */
export function scatterMatrix(rows, dimensions, isFitted) {
  const matrix = new Float64Array(dimensions * dimensions);
  for (let row = 0; row * dimensions < rows.length; row++) {
    if (!isFitted(row)) continue;
    const start = row * dimensions;
    for (let i = 0; i < dimensions; i++) {
      const value = rows[start + i];
      for (let j = i; j < dimensions; j++) matrix[i * dimensions + j] += value * rows[start + j];
    }
  }
  for (let i = 0; i < dimensions; i++) {
    for (let j = 0; j < i; j++) matrix[i * dimensions + j] = matrix[j * dimensions + i];
  }
  return matrix;
}

/**
 * Eigenvalues, largest first, and unit eigenvectors of a symmetric matrix, by cyclic Jacobi
 * rotations. Each eigenvector's largest component is positive.
 */
export function symmetricEigen(matrix, size) {
  const a = Float64Array.from(matrix);
  const vectors = new Float64Array(size * size); // row i is the i-th eigenvector
  for (let i = 0; i < size; i++) vectors[i * size + i] = 1;
  const offDiagonal = () => {
    let sum = 0;
    for (let i = 0; i < size; i++) for (let j = 0; j < i; j++) sum += a[i * size + j] ** 2;
    return sum;
  };
  const limit = 1e-22 * offDiagonal();
  for (let sweep = 0; sweep < 30 && offDiagonal() > limit; sweep++) {
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) rotate(a, vectors, size, p, q);
    }
  }
  const order = Array.from({ length: size }, (_, i) => i);
  order.sort((i, j) => a[j * size + j] - a[i * size + i]);
  return order.map((i) => {
    const vector = vectors.slice(i * size, (i + 1) * size);
    const largest = vector.reduce((best, v) => (Math.abs(v) > Math.abs(best) ? v : best), 0);
    return { value: a[i * size + i], vector: largest < 0 ? vector.map((v) => -v) : vector };
  });
}

function rotate(a, vectors, size, p, q) {
  const off = a[p * size + q];
  if (off === 0) return;
  const theta = (a[q * size + q] - a[p * size + p]) / (2 * off);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < size; k++) {
    const kp = a[k * size + p];
    const kq = a[k * size + q];
    a[k * size + p] = c * kp - s * kq;
    a[k * size + q] = s * kp + c * kq;
  }
  for (let k = 0; k < size; k++) {
    const pk = a[p * size + k];
    const qk = a[q * size + k];
    a[p * size + k] = c * pk - s * qk;
    a[q * size + k] = s * pk + c * qk;
    const vp = vectors[p * size + k];
    const vq = vectors[q * size + k];
    vectors[p * size + k] = c * vp - s * vq;
    vectors[q * size + k] = s * vp + c * vq;
  }
}

/**
 * Coordinates of each row along the first `kept` eigenvectors. Each is divided by the fourth root
 * of its share of the first one's variance, which makes the leading directions less dominant.
 */
export function project(rows, dimensions, eigen, kept) {
  const count = rows.length / dimensions;
  const out = new Float64Array(count * kept);
  for (let c = 0; c < kept; c++) {
    const { value, vector } = eigen[c];
    const scale = (value / eigen[0].value) ** -0.125; // singular values are roots of these
    for (let row = 0; row < count; row++) {
      let sum = 0;
      for (let k = 0; k < dimensions; k++) sum += vector[k] * rows[row * dimensions + k];
      out[row * kept + c] = sum * scale;
    }
  }
  return out;
}

/** Rows of unit length as int8 with one scale a row: value = int8 * scale. */
export function quantize(rows, dimensions) {
  const values = new Int8Array(rows.length);
  const scales = new Float64Array(rows.length / dimensions);
  for (let row = 0; row < scales.length; row++) {
    let largest = 1e-12;
    for (let k = 0; k < dimensions; k++) {
      largest = Math.max(largest, Math.abs(rows[row * dimensions + k]));
    }
    scales[row] = largest / 127;
    for (let k = 0; k < dimensions; k++) {
      values[row * dimensions + k] = Math.round(rows[row * dimensions + k] / scales[row]);
    }
  }
  return { values, scales };
}
