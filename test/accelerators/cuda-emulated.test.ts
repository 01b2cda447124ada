import { fileURLToPath } from "node:url";
import { loadCuda } from "../../src/accelerators/cuda/index.js";
import { conformance } from "./conformance.js";

/**
 * The whole of the CUDA accelerator on a CPU: the driver, the addon, the plugin's engine and its kernels,
 * whose threads are emulated (test/native/cuda/emulator/). It is built with the C++ tests, in build-native;
 * where it wasn't, all is skipped, and the reason says so.
 */
const plugin = fileURLToPath(
  new URL("../../../../build-native/dentate_cuda_emulated.so", import.meta.url),
);

conformance("cuda", () => loadCuda({ plugin }), {
  loadSmall: () => loadCuda({ plugin, memory: 450_000, precision: "int8" }),
});
