import assert from "node:assert/strict";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { DynamicWaveletMatrix } from "../../src/structures/index.js";

const sealing = () => new Worker(new URL("./wavelet-worker.js", import.meta.url));

describe("DynamicWaveletMatrix across languages and threads", () => {
  it("reads views of shared memory", () => {
    const shared = new Uint32Array(new SharedArrayBuffer(16)).subarray(1);
    shared.set([4, 5, 4]);
    const wm = new DynamicWaveletMatrix({ symbolBits: 3 });
    assert.equal(wm.append(shared), 3);
    shared.set([0, 1, 2]);
    assert.deepEqual([...wm.access(shared)], [4, 5, 4]);
    assert.deepEqual([...wm.rank(new Uint32Array([4, 4, 4]), shared)], [0, 1, 1]);
    const bytes = wm.serialize();
    const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
    copy.set(bytes);
    assert.deepEqual([...DynamicWaveletMatrix.deserialize(copy).accessRange(0, 3)], [4, 5, 4]);
  });

  it("refuses views whose memory was transferred away", () => {
    const wm = new DynamicWaveletMatrix({ symbolBits: 3 });
    const symbols = new Uint32Array([1, 2, 3]);
    structuredClone(symbols, { transfer: [symbols.buffer] });
    assert.throws(() => wm.append(symbols), { name: "TypeError", message: /transferred/ });
    assert.throws(() => wm.access(symbols), TypeError);
    assert.equal(wm.append(new Uint32Array(0)), 0);
  });

  it("gives results that are the caller's own", () => {
    const wm = new DynamicWaveletMatrix({ symbolBits: 3 });
    wm.append(new Uint32Array([1, 2, 3]));
    const out = wm.accessRange(0, 3);
    out.fill(7);
    structuredClone(out, { transfer: [out.buffer] });
    assert.deepEqual([...wm.accessRange(0, 3)], [1, 2, 3]);
  });

  it("works in several threads at once", async () => {
    const workers = [sealing(), sealing()];
    for (const worker of workers) assert.deepEqual(await once(worker, "message"), ["right"]);
    await Promise.all(workers.map((worker) => worker.terminate()));
  });

  it("leaves libuv's pool to others, however often one matrix is sealed", async () => {
    const wm = new DynamicWaveletMatrix({ symbolBits: 18, sealAfter: 0 });
    wm.append(new Uint32Array(4_000_000).map((_, i) => Math.imul(i, 0x9e3779b1) >>> 14));
    const done: string[] = [];
    const seals = Array.from({ length: 8 }, () => wm.seal().then(() => done.push("seal")));
    await Promise.all([stat(".").then(() => done.push("stat")), ...seals]);
    assert.deepEqual(done, ["stat", ...seals.map(() => "seal")]);
  });

  // The only test of a sealing thread that outlives the environment its matrix belongs to.
  it("survives threads that are terminated while they seal", async () => {
    for (let round = 0; round < 10; round++) {
      const worker = sealing();
      await once(worker, "message");
      await wait(round * 3);
      await worker.terminate();
    }
  });

  // Without AdjustExternalMemory V8 sees a hundred bytes a matrix and does not collect them.
  it("tells V8 how much memory it holds, so that unreachable ones go in time", async () => {
    const symbols = Uint32Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 200_000);
    let total = 0;
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 300; i++) {
      const wm = new DynamicWaveletMatrix({ symbolBits: 18 });
      wm.append(symbols);
      total += wm.sizeInBytes;
      await new Promise(setImmediate);
    }
    const grown = process.memoryUsage().rss - before;
    assert.ok(grown < total / 2, `${grown} of ${total} bytes`);
  });
});
