export { type MemoryMiddlewareOptions, memoryMiddleware } from "./middleware.js";
export { type FoundMemory, type MemoryToolsOptions, memoryTools } from "./tools.js";
