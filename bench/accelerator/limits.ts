import type { AcceleratorDriver } from "../../src/accelerators/accelerator.js";
import type { Limits } from "../lib/limits.js";
import type { Workload } from "./workload.js";

/** What a driver with a device of its own measures of it. */
interface MeasuringDriver extends AcceleratorDriver {
  limits(): Promise<{
    readonly copyBytesPerSecond: number;
    readonly matrixFlopsPerSecond: number;
  }>;
}

function measures(driver: AcceleratorDriver): driver is MeasuringDriver {
  return "limits" in driver;
}

/** The limits of a device: the bytes that a copy reads and writes count both. */
export async function deviceLimits(driver: AcceleratorDriver): Promise<Limits | undefined> {
  if (!measures(driver)) return undefined;
  const { copyBytesPerSecond, matrixFlopsPerSecond } = await driver.limits();
  return { bytesPerSecond: () => copyBytesPerSecond, flopsPerSecond: matrixFlopsPerSecond };
}

/** The shortest time in which a machine could do it, in milliseconds: to read the rows, or to multiply. */
export function shortestMs(workload: Workload, size: number, limits: Limits): number {
  const bytes = workload.bytes(size);
  const reading = bytes / limits.bytesPerSecond(bytes);
  const computing = workload.flops(size) / limits.flopsPerSecond;
  return 1000 * Math.max(reading, computing);
}
