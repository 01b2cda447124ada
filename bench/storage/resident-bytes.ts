import { readFileSync } from "node:fs";

/** What this process has in memory (Linux). */
export function residentBytes(): number {
  const status = readFileSync("/proc/self/status", "utf8");
  return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
}
