// What only the two languages together can break: views, shared and transferred memory, workers.

import assert from "node:assert/strict";
import { it } from "node:test";
import { Worker } from "node:worker_threads";
import { AtomIndex } from "../../src/structures/index.js";

const embeddings = (count: number, dimensions = 64): Float32Array[] =>
  Array.from({ length: count }, (_, i) =>
    Float32Array.from({ length: dimensions }, (_, j) => Math.sin(i * 1.7 + j * j)),
  );

it("reads views that start inside their buffer, and shared memory", () => {
  const index = new AtomIndex({ dimensions: 2, threshold: 0.9 });
  const shared = new Float32Array(new SharedArrayBuffer(16), 8, 2);
  shared.set([3, 4]);
  index.add(shared);
  index.add(Float32Array.of(9, 9, 3, 4, 9).subarray(2, 4));
  assert.equal(index.count, 1);
  const member = index.vector(1)!;
  assert.ok(Math.abs(member[0]! - 0.6) < 1e-6 && Math.abs(member[1]! - 0.8) < 1e-6);
  const padded = Uint8Array.of(0, ...index.serialize());
  assert.equal(AtomIndex.deserialize(padded.subarray(1)).size, 2);
});

it("refuses memory that was transferred away", () => {
  const index = new AtomIndex({ dimensions: 2, threshold: 0.9 });
  const gone = Float32Array.of(1, 2);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  assert.throws(() => index.add(gone), { name: "TypeError", message: /transferred/ });
  assert.throws(() => index.nearest(gone), TypeError);
  assert.throws(() => index.addMany([Float32Array.of(1, 2), gone]), TypeError);
  assert.throws(() => AtomIndex.calibrate([gone, gone]), TypeError);
  assert.equal(index.size, 0);
});

it("copies what another thread works on", async () => {
  const index = new AtomIndex({ dimensions: 64, threshold: 0.9 });
  const all = embeddings(500);
  const adding = index.addManyAsync(all);
  for (const embedding of all) embedding.fill(1);
  await adding;
  const [first] = embeddings(1);
  assert.ok(Math.abs(index.similarities(first!, Uint32Array.of(0))[0]! - 1) < 1e-5);
  const searching = index.nearestAsync(first!, { atoms: 1 });
  first!.fill(0);
  assert.equal((await searching).atoms[0], index.atomOf(0));
});

it("searches and removes while a batch is added", async () => {
  const index = new AtomIndex({ dimensions: 64, threshold: 0.8, storage: "int8" });
  const all = embeddings(3000);
  index.addMany(all.slice(0, 100));
  const [query] = all;
  const adding = index.addManyAsync(all);
  const searches = [];
  for (let i = 0; i < 50; i++) {
    searches.push(
      index.nearestAsync(query!, { atoms: 3 }),
      index.nearestAsync(query!, { by: "centroid" }),
    );
    assert.equal(index.remove(i), true);
    assert.ok(index.nearest(query!, { by: "best-member" }).atoms.length > 0);
    await new Promise(setImmediate);
  }
  const added = await adding;
  for (const { atoms } of await Promise.all(searches)) assert.ok(atoms.length > 0);
  assert.equal(new Set(added.map(({ member }) => member)).size, 3000);
  assert.equal(index.size, 3050);
  assert.equal(
    index.sizes().sizes.reduce((sum, size) => sum + size, 0),
    3050,
  );
});

const WORKER = `
const { parentPort, workerData } = require("node:worker_threads");
(async () => {
  const { AtomIndex } = await import(workerData);
  const all = Array.from({ length: 3000 }, (_, i) =>
    Float32Array.from({ length: 128 }, (_, j) => Math.sin(i * 1.7 + j * j)));
  const index = new AtomIndex({ dimensions: 128, threshold: 0.8 });
  index.addMany(all.slice(0, 10));
  parentPort.postMessage(index.atomOf(0));
  await Promise.all([index.addManyAsync(all), index.nearestManyAsync(all)]);
})();`;

it("works in a worker, which may be terminated while it clusters", async () => {
  for (let round = 0; round < 3; round++) {
    const worker = new Worker(WORKER, {
      eval: true,
      workerData: new URL("../../src/structures/index.js", import.meta.url).href,
    });
    const atom = await new Promise((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
    assert.equal(atom, 0);
    await worker.terminate();
  }
});
