export { SharedBank } from "./shared-bank.js";
export { SharedMemory } from "./shared-memory.js";
