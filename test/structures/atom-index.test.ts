import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isDentateError } from "../../src/errors.js";
import { loadBinding } from "../../src/native/binding.js";
import { AtomIndex, type AtomIndexOptions, type AtomRule } from "../../src/structures/index.js";
import { Random } from "../lib/random.js";
import { dot, length, PlainAtoms } from "./plain-atoms.js";

const RULES: readonly AtomRule[] = ["first-singular-vector", "centroid", "subspace", "best-member"];

/** Near one of a few directions, so that there are atoms of many sizes, and equal embeddings. */
const embedding = (dimensions: number) =>
  fc
    .tuple(
      fc.integer({ min: 0, max: 4 }),
      fc.array(fc.integer({ min: -4, max: 4 }), { minLength: dimensions, maxLength: dimensions }),
      fc.constantFrom(1e-20, 0.5, 1, 3e8),
    )
    .map(([direction, noise, scale]) =>
      Float32Array.from(
        noise,
        (value, j) => scale * (value / 8 + (j % 5 === direction ? 1.5 : 0.1)),
      ),
    );

const options = (dimensions: number): fc.Arbitrary<AtomIndexOptions> =>
  fc.record({
    dimensions: fc.constant(dimensions),
    threshold: fc.double({ min: 0.3, max: 1, noNaN: true }),
    policy: fc.constantFrom("max-member", "streaming-proto", "online-k-means", "dp-means"),
    gate: fc.constantFrom("both", "mean", "member"),
    clusters: fc.integer({ min: 1, max: 5 }),
    storage: fc.constantFrom("float32", "int8"),
    rank: fc.integer({ min: 1, max: 6 }),
  });

const scenario = fc.integer({ min: 1, max: 20 }).chain((dimensions) =>
  fc.record({
    options: options(dimensions),
    steps: fc.array(
      fc.oneof({ weight: 3, arbitrary: embedding(dimensions) }, { weight: 1, arbitrary: fc.nat() }),
      { maxLength: 60 },
    ),
    query: embedding(dimensions),
  }),
);

/** Adds and removes as the steps say, beside a plain reference. */
function play(index: AtomIndex, steps: readonly (Float32Array | number)[]): PlainAtoms {
  const plain = new PlainAtoms({
    dimensions: index.dimensions,
    policy: index.policy,
    threshold: index.threshold,
  });
  for (const step of steps) {
    if (typeof step === "number") {
      const living = [...plain.vectors.keys()];
      const member = living[step % living.length];
      if (member === undefined) continue;
      assert.equal(index.remove(member), true);
      assert.equal(index.remove(member), false);
      plain.remove(member);
    } else {
      const { member, atom } = index.add(step);
      plain.add(member, atom, index.vector(member)!);
    }
  }
  return plain;
}

describe("AtomIndex", () => {
  it("clusters as the policies are defined, whatever is added and removed", () => {
    fc.assert(
      fc.property(scenario, ({ options, steps }) => {
        const index = new AtomIndex(options);
        const plain = new PlainAtoms(options);
        for (const step of steps) {
          if (typeof step === "number") {
            const living = [...plain.vectors.keys()];
            const member = living[step % living.length];
            if (member === undefined) continue;
            assert.equal(index.remove(member), true);
            assert.equal(index.remove(member), false);
            plain.remove(member);
          } else {
            const added = index.add(step);
            const vector = index.vector(added.member)!;
            const choice = plain.choose(vector);
            if (choice.margin > 1e-5) {
              assert.deepEqual([added.atom, added.created], [choice.atom, choice.created]);
            }
            assert.ok(Math.abs(added.similarity - choice.similarity) < 1e-5);
            plain.add(added.member, added.atom, vector);
          }
        }
        const { atoms, sizes } = index.sizes();
        assert.equal(index.size, plain.vectors.size);
        assert.equal(index.count, plain.members.size);
        const expected = [...plain.members].sort(([a], [b]) => a - b);
        assert.deepEqual(
          [...atoms],
          expected.map(([atom]) => atom),
        );
        assert.deepEqual(
          [...sizes],
          expected.map(([, members]) => members.length),
        );
        for (const [atom, members] of expected) {
          assert.deepEqual([...index.members(atom)], members);
          for (const member of members) assert.equal(index.atomOf(member), atom);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("finds the nearest atoms by each rule, and the nearest members", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ options, steps, query }) => {
        const index = new AtomIndex({ ...options, storage: "float32" });
        const plain = play(index, steps);
        const unit = query.map((value) => value / length(query));
        for (const by of RULES) {
          const all = index.nearest(query, { atoms: 1000, by });
          assert.equal(all.atoms.length, index.count);
          for (const [i, atom] of all.atoms.entries()) {
            assert.ok(i === 0 || all.scores[i - 1]! >= all.scores[i]!);
            const members = plain.members.get(atom)!.map((member) => plain.vectors.get(member)!);
            const basis = index.basis(atom);
            const score = {
              "first-singular-vector": () => dot(unit, basis[0]!),
              centroid: () => dot(unit, index.centroid(atom)!),
              subspace: () => Math.hypot(...basis.map((row) => dot(unit, row))),
              "best-member": () => Math.max(...members.map((member) => dot(unit, member))),
            }[by]();
            assert.ok(Math.abs(all.scores[i]! - score) < 1e-5, `${by} ${all.scores[i]} ${score}`);
          }
          const few = index.nearest(query, { atoms: 2, by });
          assert.deepEqual(few.atoms, all.atoms.slice(0, 2));
          assert.deepEqual(await index.nearestAsync(query, { atoms: 2, by }), few);
          assert.deepEqual(index.nearestMany([query, query], { atoms: 2, by }), [few, few]);
        }
        const found = index.nearestMembers(query, 5);
        const cosines = index.similarities(query, found.members);
        for (const [i, member] of found.members.entries()) {
          assert.ok(
            Math.abs(found.similarities[i]! - dot(unit, plain.vectors.get(member)!)) < 1e-5,
          );
          assert.ok(Math.abs(found.similarities[i]! - cosines[i]!) < 1e-6);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("keeps statistics of the living members alone", () => {
    fc.assert(
      fc.property(scenario, ({ options, steps }) => {
        const index = new AtomIndex(options);
        const plain = play(index, steps);
        for (const [atom, members] of plain.members) {
          const sum = plain.sum(atom);
          const size = length(sum);
          const centroid = index.centroid(atom)!;
          if (size > 1e-4) {
            for (const [j, value] of sum.entries()) {
              assert.ok(Math.abs(centroid[j]! - value / size) < 1e-5);
            }
          }
          const rows = members.map((member) => plain.vectors.get(member)!);
          const [first] = index.basis(atom);
          const product = rows.map((row) => dot(row, first!));
          const variance = dot(product, product);
          const residual = sum.map(
            (_, j) =>
              rows.reduce((total, row, i) => total + row[j]! * product[i]!, 0) -
              variance * first![j]!,
          );
          assert.ok(length(residual) <= 1e-5 * variance, `residual ${length(residual) / variance}`);
          assert.ok(dot(first!, sum) >= -1e-5);
          assert.ok(Math.abs(length(first!) - 1) < 1e-5);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("is the same after serialize and deserialize, and clusters on alike", () => {
    fc.assert(
      fc.property(scenario, ({ options, steps, query }) => {
        const index = new AtomIndex(options);
        play(index, steps);
        const copy = AtomIndex.deserialize(index.serialize());
        assert.deepEqual(copy.serialize(), index.serialize());
        assert.deepEqual(copy.add(query), index.add(query));
        assert.deepEqual(
          [copy.dimensions, copy.policy, copy.storage, copy.threshold],
          [index.dimensions, index.policy, index.storage, index.threshold],
        );
      }),
      { numRuns: 100 },
    );
  });

  it("joins by its mean alone and by a member alone", () => {
    const joins = (gate: "both" | "mean" | "member", members: number[][], last: number[]) => {
      // All members but the last go into one atom: no other is near.
      const index = new AtomIndex({ dimensions: 3, threshold: 0.7, gate });
      for (const member of members) assert.equal(index.add(Float32Array.from(member)).atom, 0);
      return !index.add(Float32Array.from(last)).created;
    };
    // 0.68 from each of the two, 0.73 from their mean.
    const wide = [
      [1, 0.4, 0],
      [1, -0.4, 0],
    ];
    const above = [0.73, 0, Math.sqrt(1 - 0.73 ** 2)];
    // 0.72 from the last of a chain, 0.25 from the mean of all.
    const chain = [
      [1, 0, 0],
      [1, 0, 0],
      [1, 0, 0],
      [1, 0.9, 0],
    ];
    const beyond = [Math.cos(1.5), Math.sin(1.5), 0];
    assert.deepEqual(
      (["both", "mean", "member"] as const).map((gate) => joins(gate, wide, above)),
      [true, true, false],
    );
    assert.deepEqual(
      (["both", "mean", "member"] as const).map((gate) => joins(gate, chain, beyond)),
      [true, false, true],
    );
  });

  it("gives the same atoms with every kernel", () => {
    const script = `
      import { AtomIndex } from ${JSON.stringify(new URL("../../src/structures/index.js", import.meta.url).href)};
      let state = 1;
      const random = () => (state = (state * 48271) % 2147483647) / 2147483647 - 0.5;
      const bytes = [];
      for (const storage of ["float32", "int8"]) {
        const index = new AtomIndex({ dimensions: 100, threshold: 0.6, storage });
        for (let i = 0; i < 300; i++) {
          const group = i % 7;
          const x = Float32Array.from({ length: 100 }, (_, j) => random() + (j % 7 === group ? 0.5 : 0));
          const added = index.add(x);
          bytes.push(added.atom, added.similarity);
        }
        bytes.push(...index.serialize());
      }
      console.log(JSON.stringify(bytes));`;
    const outputs = loadBinding().kernels.map((kernel) => {
      const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
        env: { ...process.env, DENTATE_KERNEL: kernel },
        encoding: "utf8",
        maxBuffer: 1 << 28,
      });
      assert.equal(run.status, 0, run.stderr);
      return run.stdout;
    });
    assert.equal(new Set(outputs).size, 1);
    assert.ok(JSON.parse(outputs[0]!).length > 300);
  });

  it("starts k-means by its seed", () => {
    const atoms = (seed: number | undefined) => {
      const index = new AtomIndex({ dimensions: 2, policy: "online-k-means", clusters: 3, seed });
      const all = Array.from({ length: 30 }, (_, i) =>
        Float32Array.of(Math.cos(i * i), Math.sin(i * i)),
      );
      return index.addMany(all).map(({ atom }) => atom);
    };
    assert.deepEqual(atoms(undefined).slice(0, 3), [0, 1, 2]);
    assert.deepEqual(atoms(7), atoms(7));
    assert.ok(new Set([1, 2, 3, 4].map((seed) => atoms(seed).join())).size > 1);
  });

  it("calibrates by the percentile, and raises it where clusters chain", () => {
    // Evenly around half a circle: cosines from all angles, and everything chains.
    const around = Array.from({ length: 40 }, (_, i) =>
      Float32Array.of(Math.cos((i * Math.PI) / 40), Math.sin((i * Math.PI) / 40)),
    );
    const cosines = around
      .flatMap((a, i) => around.slice(0, i).map((b) => dot(a, b)))
      .sort((a, b) => a - b);
    const paper = AtomIndex.calibrate(around);
    const at = 0.7 * (cosines.length - 1);
    assert.ok(paper >= cosines[Math.floor(at)]! - 1e-6 && paper <= cosines[Math.ceil(at)]! + 1e-6);
    const safe = AtomIndex.calibrate(around, { percentile: 0.7, largest: 0.15 });
    assert.ok(safe > paper);
    const largest = (threshold: number) => {
      const index = new AtomIndex({ dimensions: 2, threshold });
      index.addMany(around);
      return Math.max(...index.sizes().sizes);
    };
    assert.ok(largest(paper) > 6);
    assert.ok(largest(safe) <= 6);
    assert.ok(AtomIndex.calibrate(around, { percentile: 1 }) > 0.99);
  });

  it("adds a batch whole, off the main thread too", async () => {
    const options: AtomIndexOptions = { dimensions: 16, threshold: 0.5 };
    const all = Array.from({ length: 200 }, (_, i) =>
      Float32Array.from({ length: 16 }, (_, j) => Math.sin(i * 17 + j * j)),
    );
    const one = new AtomIndex(options);
    const expected = all.map((embedding) => one.add(embedding));
    const many = new AtomIndex(options);
    assert.deepEqual(many.addMany(all), expected);
    const off = new AtomIndex(options);
    assert.deepEqual(await off.addManyAsync(all), expected);
    assert.deepEqual(many.serialize(), one.serialize());
    assert.deepEqual(off.serialize(), one.serialize());
    assert.deepEqual(off.addMany([]), []);
    assert.deepEqual(await off.addManyAsync([]), []);
    assert.throws(() => off.addMany([...all, new Float32Array(16)]), RangeError);
    assert.deepEqual(off.serialize(), one.serialize());
  });

  it("takes a batch back when its signal fires", async () => {
    const index = new AtomIndex({ dimensions: 256, threshold: 0.99, storage: "int8" });
    // An atom each: seconds of work, so that the timer comes before its end on a busy machine, too.
    const random = new Random(1);
    const all = Array.from({ length: 24_000 }, () => random.floats(256, () => random.next() - 0.5));
    index.addMany(all.slice(0, 100));
    const before = index.sizes();
    const controller = new AbortController();
    const adding = index.addManyAsync(all, { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await assert.rejects(adding, (error) => isDentateError(error, "DENTATE_ABORTED"));
    assert.equal(index.size, 100);
    assert.deepEqual(index.sizes(), before);
    const signal = AbortSignal.abort();
    await assert.rejects(index.nearestAsync(all[0]!, { signal }), (error) =>
      isDentateError(error, "DENTATE_ABORTED"),
    );
  });

  it("keeps the bound of int8", () => {
    fc.assert(
      fc.property(embedding(48), embedding(48), (a, b) => {
        const index = new AtomIndex({ dimensions: 48, threshold: 0, storage: "int8" });
        const { member } = index.add(a);
        const [similarity] = index.similarities(b, Uint32Array.of(member));
        const bound = [a, b]
          .map((x) => (Math.sqrt(48) * Math.max(...x.map(Math.abs))) / length(x) / 254)
          .reduce((sum, e) => sum + e / Math.sqrt(1 - e * e), 0);
        const cosine = dot(a, b) / length(a) / length(b);
        assert.ok(Math.abs(similarity! - cosine) <= bound + 1e-6);
      }),
    );
  });

  it("takes about the room of its members", () => {
    const all = Array.from({ length: 1000 }, (_, i) =>
      Float32Array.from({ length: 64 }, (_, j) => Math.sin(i * 1.7 + j * j)),
    );
    const bytes = (storage: "float32" | "int8") => {
      const index = new AtomIndex({ dimensions: 64, threshold: 0.999999, storage });
      assert.ok(index.sizeInBytes < 2048);
      index.addMany(all);
      return index.sizeInBytes;
    };
    assert.ok(bytes("float32") >= 256_000 && bytes("float32") < 700_000);
    assert.ok(bytes("int8") >= 64_000 && bytes("int8") < 500_000);
  });

  it("refuses what it cannot use, naming the argument, and stays as it was", async () => {
    const index = new AtomIndex({ dimensions: 2, threshold: 0.5 });
    index.add(Float32Array.of(1, 2));
    const before = index.serialize();
    const good = Float32Array.of(1, 0);
    // biome-ignore lint/suspicious/noExplicitAny: what TypeScript would refuse is the point
    const untyped = (value: unknown): any => value;
    const cases: [() => unknown, typeof TypeError | typeof RangeError, RegExp][] = [
      [() => new AtomIndex(untyped(undefined)), TypeError, /^options: /],
      [() => new AtomIndex({ dimensions: 0, threshold: 0 }), RangeError, /^options\.dimensions: /],
      [() => new AtomIndex({ dimensions: 4097, threshold: 0 }), RangeError, /^options\.dimensions/],
      [() => new AtomIndex({ dimensions: 2 }), TypeError, /^options\.threshold: .*'max-member'/],
      [() => new AtomIndex({ dimensions: 2, threshold: 1.1 }), RangeError, /^options\.threshold: /],
      [
        () => new AtomIndex({ dimensions: 2, threshold: Number.NaN }),
        RangeError,
        /^options\.threshold: /,
      ],
      [
        () => new AtomIndex({ dimensions: 2, threshold: 1, policy: "online-k-means" }),
        TypeError,
        /^options\.clusters: /,
      ],
      [
        () => new AtomIndex({ dimensions: 2, threshold: 1, policy: untyped("kmeans") }),
        RangeError,
        /^options\.policy: /,
      ],
      [
        () => new AtomIndex({ dimensions: 2, threshold: 1, rank: 17 }),
        RangeError,
        /^options\.rank: /,
      ],
      [
        () => new AtomIndex(untyped({ dimensions: 2, treshold: 1 })),
        TypeError,
        /did you mean 'threshold'/,
      ],
      [() => index.add(untyped([1, 2])), TypeError, /^embedding: .*an array/],
      [() => index.add(untyped(new Float64Array(2))), TypeError, /^embedding: /],
      [() => index.add(new Float32Array(3)), RangeError, /^embedding: .*2 values.*got 3/],
      [() => index.add(new Float32Array(2)), RangeError, /^embedding: .*zero/],
      [() => index.add(Float32Array.of(1, Number.NaN)), RangeError, /^embedding\[1\]: .*NaN/],
      [() => index.add(Float32Array.of(-Infinity, 1)), RangeError, /^embedding\[0\]: .*-Infinity/],
      [() => index.addMany(untyped(good)), TypeError, /^embeddings: /],
      [() => index.addMany([good, new Float32Array(2)]), RangeError, /^embeddings\[1\]: /],
      [() => index.addMany(untyped([good, undefined, good])), TypeError, /^embeddings\[1\]: /],
      [() => index.remove(-1), RangeError, /^member: /],
      [() => index.members(1.5), RangeError, /^atom: /],
      [() => index.atomOf(untyped("0")), TypeError, /^member: /],
      [() => index.nearest(new Float32Array(1)), RangeError, /^query: /],
      [() => index.nearest(good, { atoms: 0 }), RangeError, /^options\.atoms: /],
      [() => index.nearest(good, { by: untyped("mean") }), RangeError, /^options\.by: /],
      [
        () => index.nearest(good, untyped({ signal: null })),
        TypeError,
        /^options\.signal: unknown/,
      ],
      [() => index.nearestMembers(good, 0), RangeError, /^k: /],
      [() => index.similarities(good, untyped([0])), TypeError, /^members: /],
      [() => AtomIndex.deserialize(untyped("")), TypeError, /^bytes: /],
      [() => AtomIndex.calibrate([]), TypeError, /^embeddings\[0\]: /],
      [() => AtomIndex.calibrate([good]), RangeError, /^embeddings: .*at least 2/],
      [() => AtomIndex.calibrate([good, new Float32Array(3)]), RangeError, /^embeddings\[1\]: /],
      [() => AtomIndex.calibrate([good, good], { percentile: 70 }), RangeError, /percentile: /],
      [() => AtomIndex.calibrate([good, good], { largest: 0 }), RangeError, /largest: /],
    ];
    for (const [call, type, message] of cases) {
      assert.throws(call, (error) => {
        assert.ok(error instanceof type, String(error));
        assert.match(error.message, message);
        return true;
      });
    }
    await assert.rejects(index.addManyAsync([good, new Float32Array(2)]), RangeError);
    await assert.rejects(index.nearestAsync(new Float32Array(2)), RangeError);
    assert.deepEqual(index.serialize(), before);
    assert.equal(index.atomOf(5), undefined);
    assert.equal(index.vector(5), undefined);
    assert.equal(index.centroid(5), undefined);
    assert.deepEqual(index.basis(5), []);
    assert.equal(index.members(5).length, 0);
    assert.deepEqual([...index.similarities(good, Uint32Array.of(9))], [0]);
  });

  it("refuses bytes that are no index", () => {
    const index = new AtomIndex({ dimensions: 3, threshold: 0.5 });
    index.add(Float32Array.of(1, 2, 3));
    const bytes = index.serialize();
    for (let end = 0; end < bytes.length; end++) {
      assert.throws(
        () => AtomIndex.deserialize(bytes.subarray(0, end)),
        (error) => isDentateError(error, "DENTATE_CORRUPTION"),
      );
    }
    bytes[4] = 2;
    assert.throws(
      () => AtomIndex.deserialize(bytes),
      (error) => isDentateError(error, "DENTATE_VERSION"),
    );
  });
});
