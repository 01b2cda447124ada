import type { Accelerator } from "../../src/accelerators/index.js";
import { type Limits, measureDeviceLimits, measureLimits } from "../lib/limits.js";
import type { Row } from "../lib/row.js";
import type { Workload } from "./workload.js";

/** Of the machine and of its GPU; undefined where they could not be measured. */
export interface AllLimits {
  readonly machine: Limits | undefined;
  readonly device: Limits | undefined;
}

export const NO_LIMITS: AllLimits = { machine: undefined, device: undefined };

/** Measures both, the machine's for reads of these sizes; says on stderr what can't be. */
export function measureAllLimits(
  accelerators: readonly Accelerator[],
  sizes: readonly number[],
): AllLimits {
  const measured = (what: string, limits: Limits | string) => {
    if (typeof limits !== "string") return limits;
    process.stderr.write(`the ${what}'s limits are not measured: ${limits}\n`);
    return undefined;
  };
  return {
    machine: measured("machine", measureLimits(sizes)),
    device: accelerators.some(isOnDevice) ? measured("GPU", measureDeviceLimits()) : undefined,
  };
}

/** Of two measurements the higher: a busy moment shows too little, and nothing shows too much. */
export function higher(a: AllLimits, b: AllLimits): AllLimits {
  const of = (one: Limits | undefined, other: Limits | undefined): Limits | undefined => {
    if (one === undefined || other === undefined) return one ?? other;
    return {
      bytesPerSecond: (bytes) => Math.max(one.bytesPerSecond(bytes), other.bytesPerSecond(bytes)),
      flopsPerSecond: Math.max(one.flopsPerSecond, other.flopsPerSecond),
    };
  };
  return { machine: of(a.machine, b.machine), device: of(a.device, b.device) };
}

/** Those of where an accelerator computes. */
export function limitsOf(accelerator: Accelerator, all: AllLimits): Limits | undefined {
  return isOnDevice(accelerator) ? all.device : all.machine;
}

function isOnDevice({ device }: Accelerator): boolean {
  return /webgpu|headlessgl|node-gpu|nvidia|cuda/i.test(device);
}

export function limitRows({ machine, device }: AllLimits): Row[] {
  return [["machine", machine] as const, ["GPU", device] as const].flatMap(([name, limits]) => {
    if (limits === undefined) return [];
    const bytes = limits.bytesPerSecond(Number.POSITIVE_INFINITY);
    return [
      { name, metric: "most read, largest size", value: bytes / 1e9, unit: "GB/s" },
      { name, metric: "most computed", value: limits.flopsPerSecond / 1e9, unit: "GFLOP/s" },
    ];
  });
}

/** The shortest time in which it could be done, in milliseconds: to read the rows, or to multiply. */
export function shortestMs(workload: Workload, size: number, limits: Limits): number {
  const bytes = workload.bytes(size);
  const reading = bytes / limits.bytesPerSecond(bytes);
  const computing = workload.flops(size) / limits.flopsPerSecond;
  return 1000 * Math.max(reading, computing);
}
