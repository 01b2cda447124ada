import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AcceleratorDriver } from "../../src/accelerators/accelerator.js";
import { Accelerator } from "../../src/accelerators/index.js";
import { loadReference, ReferenceDriver } from "../../src/accelerators/reference.js";
import { Random } from "../lib/random.js";
import { CASES } from "./cases.js";

/** Drivers that are wrong in one way each, as one may be by mistake. */
const MUTANTS: readonly [string, (driver: ReferenceDriver) => Partial<AcceleratorDriver>][] = [
  [
    "cosines without the rows' length",
    (driver) => ({
      vectors: (rows, dimensions) =>
        driver.vectors(
          rows.map((value) => value + 1),
          dimensions,
        ),
    }),
  ],
  [
    "the highest id first where cosines are equal",
    (driver) => ({
      async cosineTopK(queries, vectors, k) {
        const found = await driver.cosineTopK(queries, vectors, k);
        for (let i = 1; i < found.ids.length; i++) {
          if (found.scores[i] !== found.scores[i - 1]) continue;
          [found.ids[i - 1], found.ids[i]] = [found.ids[i]!, found.ids[i - 1]!];
        }
        return found;
      },
    }),
  ],
  [
    "a best row that is missed",
    (driver) => ({
      async cosineTopK(queries, vectors, k) {
        const more = await driver.cosineTopK(queries, vectors, k + 1);
        const k1 = Math.min(k, more.k - 1);
        const keep = (_: number, i: number) => i % more.k > 0 && i % more.k <= k1;
        return { k: k1, ids: more.ids.filter(keep), scores: more.scores.filter(keep) };
      },
    }),
  ],
  [
    "NaN where a row is zeros",
    (driver) => ({
      async cosineTopK(queries, vectors, k) {
        const found = await driver.cosineTopK(queries, vectors, k);
        return {
          ...found,
          scores: found.scores.map((score) => (score === 0 ? Number.NaN : score)),
        };
      },
    }),
  ],
  [
    "the other sign",
    (driver) => ({
      firstSingularVectors: async (groups) =>
        (await driver.firstSingularVectors(groups)).map((value) => -value),
    }),
  ],
  [
    "the mean instead of the first singular vector",
    (driver) => ({
      async firstSingularVectors({ rows, dimensions, offsets }) {
        const table = await driver.vectors(rows, dimensions);
        return driver.embed(
          table,
          Uint32Array.from({ length: offsets.at(-1)! }, (_, i) => i),
          offsets,
        );
      },
    }),
  ],
  [
    "the second direction twice",
    (driver) => ({
      async subspaces(groups, rank) {
        const found = await driver.subspaces(groups, rank);
        if (rank > 2)
          found.vectors.copyWithin(2 * groups.dimensions, groups.dimensions, 2 * groups.dimensions);
        return found;
      },
    }),
  ],
  [
    "a direction beyond the rank",
    (driver) => ({
      async subspaces(groups, rank) {
        const found = await driver.subspaces(groups, rank);
        return { ...found, vectors: found.vectors.map((value, i) => value || Number(i % 7 === 0)) };
      },
    }),
  ],
  [
    "squared values",
    (driver) => ({
      async subspaces(groups, rank) {
        const found = await driver.subspaces(groups, rank);
        return { ...found, values: found.values.map((value) => value * value) };
      },
    }),
  ],
  [
    "words of 31 bits",
    (driver) => ({
      signatures: (rows, bits) =>
        driver.signatures(
          rows.map((word) => word & 0x7fff_ffff_ffff_ffffn),
          bits,
        ),
    }),
  ],
  [
    "within: less than the radius",
    (driver) => ({
      hammingWithin: (queries, signatures, radius) =>
        driver.hammingWithin(queries, signatures, Math.max(0, radius - 1)),
    }),
  ],
  [
    "a mean that is not of unit length",
    (driver) => ({
      embed: async (table, ids, offsets) =>
        (await driver.embed(table, ids, offsets)).map((value) => value / 2),
    }),
  ],
];

/** The suite is worth what it catches. */
describe("the conformance suite", () => {
  for (const [what, mutate] of MUTANTS) {
    it(`fails a driver with ${what}`, async () => {
      const driver = new ReferenceDriver();
      const mutated = Object.assign(new ReferenceDriver(), mutate(driver));
      const bench = {
        accelerator: new Accelerator(mutated),
        reference: new Accelerator(await loadReference()),
        random: new Random(),
      };
      // The whole suite, up to what fails.
      await assert.rejects(
        async () => {
          for (const { run } of CASES) await run(bench);
        },
        assert.AssertionError,
        `DENTATE_SEED=${bench.random.seed}`,
      );
    });
  }
});
