// What only the two languages together can break: views, shared and transferred memory, workers.

import assert from "node:assert/strict";
import { it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { HammingIndex } from "../../src/structures/index.js";

it("reads a view of shared memory", () => {
  const shared = new BigUint64Array(new SharedArrayBuffer(4 * 8), 8, 2);
  shared.set([5n, 6n]);
  const index = new HammingIndex({ bits: 128 });
  index.add(shared);
  assert.deepEqual([...index.within(shared, 0).ids], [0]);
});

it("refuses memory that was transferred away, and an empty view is still no signature", () => {
  const index = new HammingIndex({ bits: 64 });
  const signatures = new BigUint64Array([1n]);
  structuredClone(signatures.buffer, { transfer: [signatures.buffer] });
  assert.throws(() => index.add(signatures), TypeError);
  assert.throws(() => index.nearest(signatures, 1), TypeError);
  const bytes = index.serialize();
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  assert.throws(() => HammingIndex.deserialize(bytes), {
    name: "TypeError",
    message: /transferred/,
  });
  assert.equal(index.add(new BigUint64Array()), 0);
  assert.deepEqual([...index.withinMany(new BigUint64Array(), 1).offsets], [0]);
});

it("copies the query, so that its memory may be transferred while the search runs", async () => {
  const index = new HammingIndex({ bits: 64 });
  index.add(new BigUint64Array(1 << 20));
  index.add(new BigUint64Array([77n]));
  const query = new BigUint64Array([77n]);
  const search = index.withinAsync(query, 0);
  structuredClone(query.buffer, { transfer: [query.buffer] });
  assert.deepEqual([...(await search).ids], [1 << 20]);
});

it("searches while signatures are added, each search seeing those there were", async () => {
  const index = new HammingIndex({ bits: 64 });
  const batch = new BigUint64Array(1000);
  const searches: Promise<{ ids: Uint32Array }>[] = [];
  for (let i = 1; i <= 200; i++) {
    index.add(batch);
    searches.push(index.withinAsync(new BigUint64Array(1), 0));
    if (i % 50 === 0) searches.push(index.hashAsync().then(() => ({ ids: new Uint32Array(1e6) })));
  }
  for (const [i, { ids }] of (await Promise.all(searches)).entries()) {
    assert.ok(ids.length >= Math.min(i, 190) * 1000, `search ${i} found ${ids.length}`);
  }
});

const WORKER = `
const { parentPort, workerData } = require("node:worker_threads");
(async () => {
  const { HammingIndex } = await import(workerData);
  const index = new HammingIndex({ bits: 64 });
  index.add(new BigUint64Array(1 << 20).map((_, i) => BigInt(i)));
  const searches = Array.from({ length: 50 }, (_, i) =>
    index.nearestManyAsync(new BigUint64Array(64).fill(BigInt(i)), 3, { threads: 2 }));
  parentPort.postMessage([...index.nearest(new BigUint64Array([9n]), 1).ids]);
  await Promise.all(searches);
})();`;

const structures = new URL("../../src/structures/index.js", import.meta.url).href;

it("works in a worker, which may be terminated while it searches", async () => {
  for (let round = 0; round < 5; round++) {
    const worker = new Worker(WORKER, { eval: true, workerData: structures });
    const ids = await new Promise((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
    assert.deepEqual(ids, [9]);
    await worker.terminate();
  }
});

it("gives memory back: many indexes made and dropped take no more than a few", async () => {
  const signatures = new BigUint64Array(2 * 10_000);
  const before = process.memoryUsage.rss();
  for (let i = 0; i < 10_000; i++) {
    // 160 kB each, 1.6 GB in all: V8 collects them in time only because it is told of them.
    new HammingIndex({ bits: 128 }).add(signatures);
    // Node runs finalizers between tasks.
    if (i % 100 === 0) await setImmediate();
  }
  assert.ok(process.memoryUsage.rss() - before < 800e6);
});
