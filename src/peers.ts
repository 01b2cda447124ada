import { DentateError } from "./errors.js";
import { manifest } from "./package.js";

/** What the parts of this package need that are loaded on request. */
export const PACKAGES_OF = {
  onnx: ["onnxruntime-node", "@huggingface/tokenizers"],
  serve: [
    ...["hono", "@hono/node-server", "@hono/zod-openapi", "zod"],
    ...["pino", "prom-client", "rate-limiter-flexible"],
  ],
  mcp: ["@modelcontextprotocol/sdk", "zod"],
} as const;

/**
 * Packages that only who uses them needs, so that they are installed on request: peers, and the optional
 * dependencies that `--omit=optional` leaves out. package.json says in which versions.
 */
export function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch (error) {
    // A package that exports nothing under its bare name is there all the same.
    return !isNotFound(error);
  }
}

/** What to tell npm to get it, such as `hono@4.13.19`. */
export function packageSpec(name: string): string {
  const { optionalDependencies, peerDependencies } = manifest();
  const range = optionalDependencies[name] ?? peerDependencies[name];
  if (range === undefined) return name;
  const spec = `${name}@${range}`;
  return /[\s<>|^~*]/.test(range) ? `"${spec}"` : spec;
}

/**
 * What to say of an import that failed: which packages to install, those that package.json names. Anything
 * else, and what misses a file of a package that is there, is returned as it came.
 *
 * @param names Those that go together; all that are missing are told at once.
 */
export function explainMissing(error: unknown, names: readonly string[] = []): unknown {
  if (!isNotFound(error)) return error;
  const name = /^Cannot find package '([^']+)'/.exec(error.message)?.[1];
  const { optionalDependencies, peerDependencies } = manifest();
  if (name === undefined || !(name in { ...optionalDependencies, ...peerDependencies })) {
    return error;
  }
  const missing = new Set([name, ...names.filter((each) => !isInstalled(each))]);
  return new DentateError(
    "DENTATE_UNAVAILABLE",
    `what this needs is not installed: npm install ${[...missing].map(packageSpec).join(" ")}`,
    { cause: error },
  );
}

function isNotFound(error: unknown): error is NodeJS.ErrnoException {
  return (error as NodeJS.ErrnoException | undefined)?.code === "ERR_MODULE_NOT_FOUND";
}
