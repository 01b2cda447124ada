export { loadCuda } from "./load.js";
export { CUDA_MANIFEST } from "./manifest.js";
export type { CudaOptions } from "./options.js";
