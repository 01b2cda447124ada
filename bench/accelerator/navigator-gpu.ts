// Gives this process a `navigator.gpu` out of the package `webgpu`, where that is installed and has an
// adapter: node --import PATH/navigator-gpu.js ... Without, nothing changes.

interface WebGpu {
  create(options: readonly string[]): { requestAdapter(): Promise<unknown> };
  readonly globals: Readonly<Record<string, unknown>>;
}

/** What is not referred to from here is collected, and the library crashes with it. */
const kept = globalThis as { dentateGpu?: unknown };

try {
  const name = "webgpu"; // not a dependency: gpu.js brings one
  const { create, globals } = (await import(name)) as WebGpu;
  const gpu = create([]);
  const adapter = await gpu.requestAdapter();
  if (adapter !== null) {
    kept.dentateGpu = [gpu, adapter];
    Object.assign(globalThis, globals);
    Object.defineProperty(globalThis, "navigator", { value: { gpu }, configurable: true });
  } else process.stderr.write("navigator.gpu: there is no adapter\n");
} catch (error) {
  process.stderr.write(`navigator.gpu: ${(error as Error).message.split("\n", 1)[0]}\n`);
}
