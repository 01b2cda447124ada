export { DentateMemoryBlock, type DentateMemoryBlockOptions } from "./memory-block.js";
export { DentateVectorStore, type DentateVectorStoreOptions } from "./vector-store.js";
