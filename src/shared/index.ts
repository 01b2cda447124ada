export { SharedBank } from "./shared-bank.js";
export { SharedMemory, type SharedOptions } from "./shared-memory.js";
