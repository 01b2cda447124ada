export { type MemoryProcessorOptions, memoryProcessor } from "./processor.js";
export { type DentateMastraVectorOptions, mastraVector } from "./vector.js";
