import { isDentateError } from "../../errors.js";
import { loadBinding } from "../../native/binding.js";
import type { AcceleratorDriver } from "../accelerator.js";
import { AcceleratorUnavailable } from "../unavailable.js";
import { CudaDriver } from "./driver.js";
import { type CudaOptions, resolveCudaOptions } from "./options.js";

/**
 * Our own kernels on an NVIDIA GPU of compute capability 8.0 or newer.
 *
 * @throws AcceleratorUnavailable where the plugin was not built, is of another build, or finds no device.
 */
export async function loadCuda(options?: CudaOptions): Promise<AcceleratorDriver> {
  const { CudaEngine } = loadBinding();
  const { plugin, device, precision, memory } = resolveCudaOptions(options);
  try {
    const engine = new CudaEngine(plugin, device, precision, memory);
    return new CudaDriver(engine, await engine.open(undefined));
  } catch (error) {
    if (!isDentateError(error, "DENTATE_UNAVAILABLE")) throw error;
    throw new AcceleratorUnavailable(error.message, { cause: error });
  }
}
