import { ones } from "../../internal/bits.js";
import { GpujsDriver } from "./driver.js";
import { firstLine } from "./library.js";
import type { Session } from "./session.js";

const BITS = 128;
/** Not a multiple of any unrolled loop. */
const DIMENSIONS = 37;
const QUERIES = 2;
/** By more than this no product of vectors of unit length may be off. */
const TOLERANCE = 1e-5;

/** How rows are cut in the test: two tiles are kept, the third is passed with each query. */
const TILE_ROWS = 4096;
const ROWS = 2 * TILE_ROWS + 5;
const SIGNATURE_NUMBERS = (TILE_ROWS * BITS) / 16;

/** Limits under which a test meets both kinds of tiles. */
export const TEST_LIMITS = {
  memoryLimit: 2 * 4 * SIGNATURE_NUMBERS,
  tileNumbers: SIGNATURE_NUMBERS,
} as const;

/**
 * Asks a session, opened under {@link TEST_LIMITS}, what plain JavaScript knows, and says what is wrong
 * with its answers; undefined where nothing is. Modes compute wrongly without an error: in 32-bit words
 * all do but `cpu`, whatever the precision.
 */
export async function refusal(session: Session): Promise<string | undefined> {
  try {
    const driver = new GpujsDriver(session, session.mode);
    return (await wrongDistances(driver)) ?? (await wrongCosines(driver));
  } catch (error) {
    return firstLine(error);
  }
}

async function wrongDistances(driver: GpujsDriver): Promise<string | undefined> {
  const words = BITS / 64;
  const rows = new BigUint64Array(ROWS * words);
  const halves = new Uint16Array(rows.buffer);
  for (let i = 0; i < halves.length; i++) halves[i] = noise(i) & 0xffff;
  rows.fill(0n, 0, words);
  rows.fill(2n ** 64n - 1n, words, 2 * words);
  const queries = rows.slice(words, (1 + QUERIES) * words);
  const asked = new Uint16Array(queries.buffer);
  const length = BITS / 16;

  const signatures = await driver.signatures(rows, BITS);
  try {
    const { offsets, ids, distances } = await driver.hammingWithin(queries, signatures, BITS);
    let wrong = 0;
    for (let q = 0; q < QUERIES; q++) {
      for (let row = 0; row < ROWS; row++) {
        let distance = 0;
        for (let j = 0; j < length; j++) {
          distance += ones(halves[row * length + j]! ^ asked[q * length + j]!);
        }
        const at = offsets[q]! + row;
        if (ids[at] !== row || distances[at] !== distance) wrong++;
      }
    }
    return wrong === 0 ? undefined : `${wrong} of ${QUERIES * ROWS} distances are wrong`;
  } finally {
    signatures.dispose();
  }
}

async function wrongCosines(driver: GpujsDriver): Promise<string | undefined> {
  const rows = Float32Array.from(
    { length: ROWS * DIMENSIONS },
    (_, i) => noise(i) / 2 ** 32 - 0.5,
  ).fill(0, 0, DIMENSIONS);
  const queries = rows.slice(DIMENSIONS, (1 + QUERIES) * DIMENSIONS);
  const vectors = await driver.vectors(rows, DIMENSIONS);
  try {
    const { ids, scores } = await driver.cosineTopK(queries, vectors, ROWS);
    let wrong = 0;
    for (let q = 0; q < QUERIES; q++) {
      for (let rank = 0; rank < ROWS; rank++) {
        const at = q * ROWS + rank;
        const cosine = cosineOf(queries, q, rows, ids[at]!);
        if (!(Math.abs(scores[at]! - cosine) <= TOLERANCE)) wrong++;
      }
    }
    return wrong === 0 ? undefined : `${wrong} of ${QUERIES * ROWS} cosines are wrong`;
  } finally {
    vectors.dispose();
  }
}

function cosineOf(a: Float32Array, i: number, b: Float32Array, j: number): number {
  let product = 0;
  let squares = 0;
  let others = 0;
  for (let d = 0; d < DIMENSIONS; d++) {
    const [x, y] = [a[i * DIMENSIONS + d]!, b[j * DIMENSIONS + d]!];
    product += x * y;
    squares += x * x;
    others += y * y;
  }
  return product === 0 ? 0 : product / Math.sqrt(squares * others);
}

/** 32 bits that look random, the same on every machine (the finaliser of MurmurHash3). */
function noise(i: number): number {
  let mixed = Math.imul(i + 1, 0x9e3779b9);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
