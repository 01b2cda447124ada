import { parentPort, workerData } from "node:worker_threads";
import { loadCuda } from "../../src/accelerators/cuda/index.js";

/** A thread that loads a plugin, says what it found, and searches until it is told to stop. */
const { plugin } = workerData as { plugin: string };
try {
  const driver = await loadCuda({ plugin });
  const rows = Float32Array.from({ length: 600 * 16 }, (_, i) => Math.sin(i));
  const vectors = await driver.vectors(rows, 16);
  parentPort!.postMessage(driver.device);
  for (;;) {
    const { ids } = await driver.cosineTopK!(rows.subarray(16 * 7, 16 * 8), vectors, 1);
    if (ids[0] !== 7) throw new Error(`row 7 is nearest to itself, not ${ids[0]}`);
  }
} catch (error) {
  parentPort!.postMessage((error as Error).name);
}
