import { readFileSync } from "node:fs";

/** What a process, this one unless another is named, has in memory (Linux). */
export function residentBytes(pid: number | "self" = "self"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
}
