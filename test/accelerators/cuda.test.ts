import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { it } from "node:test";
import { CUDA_MANIFEST, loadCuda } from "../../src/accelerators/cuda/index.js";
import { AcceleratorUnavailable } from "../../src/accelerators/unavailable.js";

const addon = createRequire(import.meta.url).resolve("#native");

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
