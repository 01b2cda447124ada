// What @tensorflow/tfjs-node-gpu makes of this machine: its device, and what first and second calls take
// (the first ones compile for devices that its CUDA 11 does not know), or its exact failure.

import { loadTfjs } from "../../src/accelerators/tfjs/index.js";
import { AcceleratorUnavailable } from "../../src/accelerators/unavailable.js";
import { uniforms } from "./workload.js";

const DIMENSIONS = 384;
const ROWS = 4096;
const GROUP_ROWS = 32;

async function timed<T>(what: string, run: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await run();
  process.stdout.write(`${what}: ${(performance.now() - began).toFixed(1)} ms\n`);
  return result;
}

try {
  const driver = await timed("load", () => loadTfjs({ backend: "node-gpu" }));
  process.stdout.write(`${driver.device}\n`);
  const rows = uniforms(ROWS * DIMENSIONS, 1);
  const query = uniforms(DIMENSIONS, 2);
  const ids = Uint32Array.from({ length: ROWS }, (_, i) => i);
  const offsets = Uint32Array.from({ length: ROWS / GROUP_ROWS + 1 }, (_, i) => GROUP_ROWS * i);
  const groups = { rows, dimensions: DIMENSIONS, offsets };
  const vectors = await timed("upload", () => driver.vectors(rows, DIMENSIONS));
  for (const time of ["first", "second"]) {
    await timed(`cosineTopK, ${time} call`, () => driver.cosineTopK(query, vectors, 10));
    await timed(`firstSingularVectors, ${time} call`, () => driver.firstSingularVectors(groups));
    await timed(`embed, ${time} call`, () => driver.embed(vectors, ids, offsets));
  }
  vectors.dispose();
  await driver.close();
} catch (error) {
  if (!(error instanceof AcceleratorUnavailable)) throw error;
  process.stdout.write(`it can't be used: ${error.message}\n`);
}
