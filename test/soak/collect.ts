/**
 * Loaded into a service before all else, with `--expose-gc`: on SIGUSR2 it collects its garbage. What is
 * resident then is what it holds; otherwise it would be what V8 has not come round to throwing away, which
 * goes up and down by a hundred megabytes within minutes.
 */
process.on("SIGUSR2", () => (globalThis as unknown as { gc(): void }).gc());
