export { type MemoryMiddlewareOptions, memoryMiddleware } from "./middleware.js";
export { type MemoryToolsOptions, memoryTools } from "./tools.js";
