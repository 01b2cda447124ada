/**
 * Milliseconds of processor time that this process uses from now on, on all its threads: what bounds on
 * time are about, since other processes add nothing to it, however busy the machine is.
 */
export function cpuTimer(): () => number {
  const began = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  };
}
