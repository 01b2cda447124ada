// Compiled, never run: what must compile, and, under each expectation, what must not.
import {
  Accelerator,
  type AcceleratorDriver,
  type AcceleratorName,
  type CosineMatches,
  type DeviceSignatures,
  type DeviceVectors,
  selectAccelerator,
} from "../../src/accelerators/index.js";

declare const driver: AcceleratorDriver;
declare const signatures: DeviceSignatures;

export async function mustCompile(): Promise<void> {
  const { accelerator, refused, paysFrom } = await selectAccelerator({ prefer: ["cuda", "tfjs"] });
  await using own = new Accelerator(driver);
  const vectors: DeviceVectors = await own.vectors(new Float32Array(8), 4);
  const { signal } = new AbortController();
  const found: CosineMatches = await own.cosineTopK(new Float32Array(4), vectors, 2, { signal });
  const reasons: [AcceleratorName, string][] = refused.map(({ name, reason }) => [name, reason]);
  const work: number = paysFrom("cosineTopK");
  await selectAccelerator({ prefer: "native", minWork: 1e6 });
  await accelerator.close();
  void [found, reasons, work];
}

export async function mustNotCompile(): Promise<void> {
  // @ts-expect-error: no such accelerator
  await selectAccelerator({ prefer: "gpu" });
  // @ts-expect-error: no such operation
  driver.manifest.operations["cosine"];
  // @ts-expect-error: signatures are no vectors
  await driver.cosineTopK?.(new Float32Array(4), signatures, 1);
}
