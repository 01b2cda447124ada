import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { CUDA_MANIFEST, loadCuda } from "../../src/accelerators/cuda/index.js";
import { AcceleratorUnavailable } from "../../src/accelerators/unavailable.js";
import { addonPath } from "../../src/native/addon-path.js";
import { conformance } from "./conformance.js";

const addon = addonPath()!;
const plugin = join(dirname(addon), "dentate_cuda.so");
/** Of the C++ tests; absent where they weren't built. */
const ofTests = (name: string) =>
  fileURLToPath(new URL(`../../../../build-native/dentate_cuda_${name}.so`, import.meta.url));
const unless = (path: string) => ({ skip: existsSync(path) ? false : `there is no ${path}` });

const isUnavailable = (words: RegExp) => (error: unknown) =>
  error instanceof AcceleratorUnavailable && words.test(error.message);

it("says what it can do without loading anything", () => {
  assert.equal(CUDA_MANIFEST.name, "cuda");
  assert.equal(CUDA_MANIFEST.operations.hammingTopK?.tolerance, 0);
});

it("is unavailable where there is no plugin", async () => {
  await assert.rejects(
    loadCuda({ plugin: "/nowhere/dentate_cuda.so" }),
    isUnavailable(/^the CUDA plugin could not be loaded: .*nowhere/),
  );
});

it("is unavailable where the library is no plugin", async () => {
  await assert.rejects(loadCuda({ plugin: addon }), isUnavailable(/is no CUDA plugin/));
});

it("refuses options that it can't use", async () => {
  await assert.rejects(loadCuda({ device: -1 }), RangeError);
  await assert.rejects(loadCuda({ memory: 0.5 }), RangeError);
  await assert.rejects(loadCuda({ precision: "fp8" as "fp16" }), RangeError);
  await assert.rejects(loadCuda({ plug: "x" } as object), TypeError);
});

it("reads DENTATE_CUDA_PLUGIN and DENTATE_CUDA_MEMORY", async () => {
  for (const [name, value, message] of [
    ["DENTATE_CUDA_PLUGIN", "/nowhere/else.so", /nowhere\/else\.so/],
    ["DENTATE_CUDA_MEMORY", "8 gigabytes", /^DENTATE_CUDA_MEMORY: expected bytes/],
  ] as const) {
    const before = process.env[name];
    process.env[name] = value;
    try {
      await assert.rejects(loadCuda(), { message });
    } finally {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    }
  }
});

it("is unavailable with a plugin of another version", unless(ofTests("stale")), async () => {
  await assert.rejects(
    loadCuda({ plugin: ofTests("stale") }),
    isUnavailable(/is of another build: its interface is version 2, this addon's is 1$/),
  );
});

it("says what its plugin misses where there is no device", unless(plugin), async () => {
  try {
    await (await loadCuda()).close();
  } catch (error) {
    assert.ok(isUnavailable(/^no CUDA device: .*\(CUDA error \d+\)$/)(error), String(error));
  }
});

for (const path of [plugin, ofTests("emulated")]) {
  it(`loads in threads, which may be terminated: ${path}`, unless(path), async () => {
    for (let round = 0; round < 4; round++) {
      const workers = [1, 2].map(
        () =>
          new Worker(new URL("./cuda-worker.js", import.meta.url), {
            workerData: { plugin: path },
          }),
      );
      const said = await Promise.all(
        workers.map(async (worker) => (await once(worker, "message"))[0] as string),
      );
      assert.equal(said[0], said[1]);
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
  });
}

conformance("cuda", () => loadCuda());
