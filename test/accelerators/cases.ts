import type { Operation } from "../../src/accelerators/accelerator.js";
import type { Accelerator, VectorGroups } from "../../src/accelerators/index.js";
import type { Random } from "../lib/random.js";
import { assertCosines, assertSame, assertSubspaces, assertUnits } from "./compare.js";

/** What a case has to do with. */
export interface Bench {
  readonly accelerator: Accelerator;
  readonly reference: Accelerator;
  readonly random: Random;
}

/** One thing that must be so of every accelerator that has the operation. */
export interface ConformanceCase {
  readonly operation: Operation;
  readonly name: string;
  run(bench: Bench): Promise<void>;
}

/** Every accelerator is asked these; each one without the operation passes over them. */
export const CASES: readonly ConformanceCase[] = [
  cosine("random vectors, at even and odd shapes", async (bench) => {
    const { random } = bench;
    for (const [count, dimensions, queries, k] of [
      [1, 1, 1, 1],
      [7, 3, 2, 3],
      [64, 16, 1, 64],
      [300, 384, 5, 10],
      [1021, 47, 3, 17],
      [257, 33, 2, 100],
    ] as const) {
      const rows = random.floats(count * dimensions);
      const asked = random.floats(queries * dimensions);
      await compareCosine(bench, rows, asked, dimensions, k);
    }
  }),
  cosine("one after another query, and many at once", async (bench) => {
    const { random } = bench;
    await compareCosine(bench, random.floats(500 * 24), random.floats(150 * 24), 24, 7);
  }),
  cosine("more wanted than there are", async (bench) => {
    const { random } = bench;
    await compareCosine(bench, random.floats(9 * 5), random.floats(2 * 5), 5, 1000);
  }),
  cosine("no rows, and no queries", async (bench) => {
    await compareCosine(bench, new Float32Array(0), bench.random.floats(2 * 8), 8, 3);
    await compareCosine(bench, bench.random.floats(4 * 8), new Float32Array(0), 8, 3);
  }),
  cosine("equal rows, of which the lower ids come first", async (bench) => {
    // Of ±1 in 16 dimensions: the arithmetic is exact in every precision.
    const kinds = signs(bench.random, 5 * 16);
    const rows = Float32Array.from({ length: 400 * 16 }, (_, i) => {
      const kind = Math.floor(i / 16) % 5;
      return kinds[kind * 16 + (i % 16)]!;
    });
    const asked = signs(bench.random, 6 * 16);
    await sameCosine(bench, rows, asked, 16, 90);
  }),
  cosine("rows and queries of zeros, whose cosine is 0", async (bench) => {
    const rows = signs(bench.random, 60 * 16);
    for (let row = 0; row < 60; row += 3) rows.fill(0, row * 16, (row + 1) * 16);
    const asked = signs(bench.random, 3 * 16);
    asked.fill(0, 16, 32);
    await sameCosine(bench, rows, asked, 16, 60);
  }),
  cosine("rows that point away, and the query itself", async (bench) => {
    const query = bench.random.floats(32);
    const rows = Float32Array.from({ length: 40 * 32 }, (_, i) => {
      const sign = Math.floor(i / 32) % 4 === 0 ? 1 : -1;
      return sign * query[i % 32]! * (1 + Math.floor(i / 32));
    });
    await compareCosine(bench, rows, query, 32, 40);
  }),
  cosine("rows of very different lengths", async (bench) => {
    const { random } = bench;
    const rows = random.floats(90 * 20);
    for (let i = 0; i < rows.length; i++) rows[i]! *= [1e-6, 1, 1e6][Math.floor(i / 20) % 3]!;
    const asked = random.floats(4 * 20).map((value) => value * 1e5);
    await compareCosine(bench, rows, asked, 20, 12);
  }),
  {
    operation: "firstSingularVectors",
    name: "ragged groups, empty ones and such of one row among them",
    async run(bench) {
      for (const dimensions of [3, 17, 128]) {
        const groups = ragged(bench.random, dimensions, [5, 0, 1, 2, 33, 64, 0, 7, 1]);
        await compareFirst(bench, groups);
      }
    },
  },
  {
    operation: "firstSingularVectors",
    name: "one direction that stands out, as atoms have it",
    async run(bench) {
      await compareFirst(bench, atomLike(bench.random, 96, 20, 0.6));
    },
  },
  {
    operation: "firstSingularVectors",
    name: "more rows than dimensions, and no group at all",
    async run(bench) {
      await compareFirst(bench, ragged(bench.random, 8, [200, 9, 31]));
      const none = { rows: new Float32Array(0), dimensions: 8, offsets: Uint32Array.of(0) };
      await compareFirst(bench, none);
    },
  },
  {
    operation: "firstSingularVectors",
    name: "zeros, equal rows and opposite ones",
    async run(bench) {
      await compareFirst(bench, degenerate(bench.random, 24));
    },
  },
  {
    operation: "firstSingularVectors",
    name: "groups of very different sizes of number",
    async run(bench) {
      await compareFirst(bench, scaled(bench.random, 40));
    },
  },
  {
    operation: "subspaces",
    name: "ragged groups, at several ranks",
    async run(bench) {
      for (const rank of [1, 2, 5, 8]) {
        const groups = ragged(bench.random, 40, [12, 0, 1, 3, 30, 8]);
        await compareSubspaces(bench, groups, rank);
      }
    },
  },
  {
    operation: "subspaces",
    name: "directions that stand out, as atoms have them",
    async run(bench) {
      await compareSubspaces(bench, atomLike(bench.random, 96, 12, 0.6), 8);
    },
  },
  {
    operation: "subspaces",
    name: "as many directions as dimensions",
    async run(bench) {
      await compareSubspaces(bench, ragged(bench.random, 6, [20, 4, 6]), 6);
    },
  },
  {
    operation: "subspaces",
    name: "zeros, equal rows and opposite ones",
    async run(bench) {
      await compareSubspaces(bench, degenerate(bench.random, 24), 4);
    },
  },
  {
    operation: "subspaces",
    name: "groups of very different sizes of number",
    async run(bench) {
      await compareSubspaces(bench, scaled(bench.random, 40), 3);
    },
  },
  ...(["hammingTopK", "hammingWithin"] as const).map((operation) => ({
    operation,
    name: "random signatures of 64 bits and more",
    async run(bench: Bench) {
      const { random } = bench;
      for (const [count, bits, queries] of [
        [1, 64, 1],
        [33, 64, 3],
        [500, 128, 5],
        [300, 192, 2],
        [129, 256, 40],
        [40, 1024, 2],
      ] as const) {
        const words = bits / 64;
        const rows = random.words(count * words);
        await compareHamming(bench, operation, rows, random.words(queries * words), bits);
      }
    },
  })),
  ...(["hammingTopK", "hammingWithin"] as const).map((operation) => ({
    operation,
    name: "equal signatures, all zeros and all ones",
    async run(bench: Bench) {
      const { random } = bench;
      const kinds = [0n, 2n ** 64n - 1n, 1n, 2n ** 63n, 0x8000_0000n, 0x7fff_ffff_ffff_ffffn];
      const pick = () => kinds[random.below(kinds.length)]!;
      const rows = BigUint64Array.from({ length: 2 * 700 }, pick);
      const asked = BigUint64Array.from({ length: 2 * 6 }, pick);
      await compareHamming(bench, operation, rows, asked, 128);
    },
  })),
  ...(["hammingTopK", "hammingWithin"] as const).map((operation) => ({
    operation,
    name: "no signatures, and no queries",
    async run(bench: Bench) {
      const none = new BigUint64Array(0);
      await compareHamming(bench, operation, none, bench.random.words(4), 128);
      await compareHamming(bench, operation, bench.random.words(8), none, 128);
    },
  })),
  {
    operation: "embed",
    name: "sums of rows, of none, of one that repeats and of such as cancel",
    async run({ accelerator, reference, random }) {
      for (const dimensions of [1, 19, 64]) {
        const rows = random.floats(50 * dimensions);
        for (let d = 0; d < dimensions; d++) rows[dimensions + d] = -rows[d]!;
        rows.fill(0, 2 * dimensions, 3 * dimensions);
        const ids = [7, 7, 7, 0, 1, 2, 49, ...Array.from({ length: 90 }, () => random.below(50))];
        const offsets = Uint32Array.of(0, 3, 5, 6, 6, 7, 40, ids.length);
        const [found, expected] = await onBoth(accelerator, reference, async (each) => {
          const table = await each.vectors(rows, dimensions);
          const embedded = await each.embed(table, Uint32Array.from(ids), offsets);
          table.dispose();
          return embedded;
        });
        assertUnits(found, expected, toleranceOf(accelerator, "embed"));
      }
    },
  },
];

function cosine(name: string, run: ConformanceCase["run"]): ConformanceCase {
  return { operation: "cosineTopK", name, run };
}

async function compareCosine(
  { accelerator, reference }: Bench,
  rows: Float32Array,
  queries: Float32Array,
  dimensions: number,
  k: number,
): Promise<void> {
  const count = rows.length / dimensions;
  const vectors = await accelerator.vectors(rows, dimensions);
  const found = await accelerator.cosineTopK(queries, vectors, k);
  vectors.dispose();
  const all = await allCosines(reference, rows, queries, dimensions);
  assertCosines(found, all, count, k, toleranceOf(accelerator, "cosineTopK"));
}

/** Where arithmetic is exact: the very same rows. */
async function sameCosine(
  bench: Bench,
  rows: Float32Array,
  queries: Float32Array,
  dimensions: number,
  k: number,
): Promise<void> {
  await compareCosine(bench, rows, queries, dimensions, k);
  const [found, expected] = await onBoth(bench.accelerator, bench.reference, async (each) => {
    const vectors = await each.vectors(rows, dimensions);
    const matches = await each.cosineTopK(queries, vectors, k);
    vectors.dispose();
    return matches;
  });
  assertSame(found.ids, expected.ids);
}

async function allCosines(
  reference: Accelerator,
  rows: Float32Array,
  queries: Float32Array,
  dimensions: number,
): Promise<Float32Array> {
  const vectors = await reference.vectors(rows, dimensions);
  const { k, ids, scores } = await reference.cosineTopK(queries, vectors, 2 ** 32 - 1);
  vectors.dispose();
  const all = new Float32Array(ids.length);
  for (const [i, id] of ids.entries()) all[Math.floor(i / k) * k + id] = scores[i]!;
  return all;
}

async function compareFirst(
  { accelerator, reference }: Bench,
  groups: VectorGroups,
): Promise<void> {
  const vectors = await accelerator.firstSingularVectors(groups);
  // The second value says how far the first one stands out.
  const rank = Math.min(2, groups.dimensions);
  const both = await reference.subspaces(groups, rank);
  const expected = await reference.firstSingularVectors(groups);
  const values = both.values.filter((_, i) => i % rank === 0);
  const tolerance = toleranceOf(accelerator, "firstSingularVectors");
  assertSubspaces(
    { rank: 1, vectors, values },
    { rank: 1, vectors: expected, values },
    groups,
    tolerance,
    (group) => both.values.subarray(group * rank, (group + 1) * rank),
  );
}

async function compareSubspaces(
  { accelerator, reference }: Bench,
  groups: VectorGroups,
  rank: number,
): Promise<void> {
  const found = await accelerator.subspaces(groups, rank);
  const more = Math.min(rank + 1, groups.dimensions);
  const expected = await reference.subspaces(groups, rank);
  const { values } = await reference.subspaces(groups, more);
  const tolerance = toleranceOf(accelerator, "subspaces");
  assertSubspaces(found, expected, groups, tolerance, (group) =>
    values.subarray(group * more, (group + 1) * more),
  );
}

async function compareHamming(
  { accelerator, reference }: Bench,
  operation: "hammingTopK" | "hammingWithin",
  rows: BigUint64Array,
  queries: BigUint64Array,
  bits: number,
): Promise<void> {
  const [found, expected] = await onBoth(accelerator, reference, async (each) => {
    const signatures = await each.signatures(rows, bits);
    const answers = [];
    const sizes = operation === "hammingTopK" ? [1, 10, 5000] : [0, 1, bits / 3, bits / 2, bits];
    for (const size of sizes) {
      answers.push(await each[operation](queries, signatures, Math.floor(size)));
    }
    signatures.dispose();
    return answers;
  });
  assertSame(found, expected);
}

async function onBoth<T>(
  accelerator: Accelerator,
  reference: Accelerator,
  ask: (each: Accelerator) => Promise<T>,
): Promise<[T, T]> {
  return [await ask(accelerator), await ask(reference)];
}

function toleranceOf(accelerator: Accelerator, operation: Operation): number {
  return accelerator.manifest.operations[operation]!.tolerance;
}

function signs(random: Random, length: number): Float32Array {
  return random.floats(length, () => (random.next() < 0.5 ? -1 : 1));
}

function grouped(
  dimensions: number,
  sizes: readonly number[],
  fill: (group: number, row: number, dimension: number) => number,
): VectorGroups {
  const offsets = new Uint32Array(sizes.length + 1);
  for (const [i, size] of sizes.entries()) offsets[i + 1] = offsets[i]! + size;
  const rows = new Float32Array(offsets.at(-1)! * dimensions);
  for (const [group, size] of sizes.entries()) {
    for (let i = 0; i < size * dimensions; i++) {
      rows[offsets[group]! * dimensions + i] = fill(
        group,
        Math.floor(i / dimensions),
        i % dimensions,
      );
    }
  }
  return { rows, dimensions, offsets };
}

function ragged(random: Random, dimensions: number, sizes: readonly number[]): VectorGroups {
  return grouped(dimensions, sizes, () => random.normal());
}

/** Rows of about unit length around a mean of their own. */
function atomLike(random: Random, dimensions: number, groups: number, noise: number): VectorGroups {
  const scale = 1 / Math.sqrt(dimensions);
  const means = random.floats(groups * dimensions, () => random.normal() * scale);
  const sizes = Array.from({ length: groups }, () => 1 + random.below(32));
  return grouped(
    dimensions,
    sizes,
    (group, _, d) => means[group * dimensions + d]! + noise * scale * random.normal(),
  );
}

/** Zeros; one row again and again; a row and its opposite; two directions at right angles; one of many zero rows. */
function degenerate(random: Random, dimensions: number): VectorGroups {
  const base = random.floats(dimensions);
  return grouped(dimensions, [6, 5, 2, 4, 5], (group, row, d) => {
    if (group === 0) return 0;
    if (group === 1) return base[d]!;
    if (group === 2) return row === 0 ? base[d]! : -base[d]!;
    if (group === 3) return d === row % 2 ? 2 - (row % 2) : 0;
    return row === 3 ? base[d]! : 0;
  });
}

function scaled(random: Random, dimensions: number): VectorGroups {
  return grouped(
    dimensions,
    [9, 9, 9, 30, 2],
    (group) => random.normal() * [1e-6, 1, 1e6, 1e4, 1e-4][group]!,
  );
}
