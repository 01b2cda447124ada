/** Milliseconds that all threads of this process have had of processors. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
