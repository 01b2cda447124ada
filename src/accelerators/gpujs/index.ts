import type { AcceleratorDriver } from "../accelerator.js";
import { AcceleratorUnavailable } from "../unavailable.js";
import { GpujsDriver } from "./driver.js";
import { KERNELS } from "./kernels.js";
import { firstLine, type GpuLibrary, loadLibrary } from "./library.js";
import { refusal, TEST_LIMITS } from "./self-test.js";
import { GPUJS_MODES, type GpujsMode, Session, type SessionLimits } from "./session.js";

export { GPUJS_MANIFEST } from "./manifest.js";
export { GPUJS_MODES, type GpujsMode } from "./session.js";

export interface GpujsOptions {
  /** The only mode to try. Unless given, what `DENTATE_GPUJS_MODE` says, or all, in their order. */
  readonly mode?: GpujsMode;
  /** Bytes of rows that are uploaded once and kept; those beyond are uploaded for each query. 1 GiB. */
  readonly memoryLimit?: number;
  /** Numbers in what is computed with at once: 2^24 at most, and unless given, but in `cpu` 2^22. */
  readonly tileNumbers?: number;
}

const MODE_VARIABLE = "DENTATE_GPUJS_MODE";
const MEMORY_LIMIT = 2 ** 30;
/** Beyond 2^24 float32 can't tell addresses apart; `cpu` holds up the JavaScript thread for a tile. */
const TILE_NUMBERS: Readonly<Record<GpujsMode, number>> = {
  webgpu: 2 ** 24,
  headlessgl: 2 ** 24,
  webasm: 2 ** 24,
  cpu: 2 ** 22,
};

/**
 * gpu.js in the first of its modes that answers as plain JavaScript does (self-test.ts). `webgpu` needs a
 * `navigator.gpu`, which Node.js has only where a package such as `webgpu` was put there; `headlessgl`
 * the package `gl` and a display.
 *
 * @throws {@link AcceleratorUnavailable} where none does, with what is wrong with each.
 */
export async function loadGpujs(options: GpujsOptions = {}): Promise<AcceleratorDriver> {
  const { memoryLimit = MEMORY_LIMIT, mode = forcedMode() } = options;
  const library = await loadLibrary();
  const reasons: string[] = [];
  for (const candidate of mode === undefined ? GPUJS_MODES : [mode]) {
    const reason = await reasonAgainst(library, candidate);
    if (reason === undefined) {
      const { tileNumbers = TILE_NUMBERS[candidate] } = options;
      const session = open(library, candidate, { memoryLimit, tileNumbers });
      return new GpujsDriver(session, await deviceOf(candidate));
    }
    reasons.push(`${candidate}: ${reason}`);
  }
  throw new AcceleratorUnavailable(reasons.join("; "));
}

function forcedMode(): GpujsMode | undefined {
  const value = process.env[MODE_VARIABLE];
  if (value === undefined || value === "") return undefined;
  const mode = GPUJS_MODES.find((name) => name === value);
  if (mode !== undefined) return mode;
  throw new AcceleratorUnavailable(
    `${MODE_VARIABLE}: expected one of ${GPUJS_MODES.join(", ")}, got "${value}"`,
  );
}

function open(library: GpuLibrary, mode: GpujsMode, limits: SessionLimits): Session {
  return new Session(library, mode, KERNELS, limits);
}

/** The mode, and the adapter where it says what it is. */
async function deviceOf(mode: GpujsMode): Promise<string> {
  const name = `gpu.js, mode ${mode}`;
  if (mode !== "webgpu") return name;
  const { navigator } = globalThis as { navigator?: NavigatorWithGpu };
  const adapter = await navigator?.gpu?.requestAdapter();
  const description = adapter?.info?.description ?? "";
  return description === "" ? name : `${name}, ${description}`;
}

/** What is used of WebGPU. */
interface NavigatorWithGpu {
  readonly gpu?: {
    requestAdapter(): Promise<{ readonly info?: { readonly description?: string } } | null>;
  };
}

async function reasonAgainst(library: GpuLibrary, mode: GpujsMode): Promise<string | undefined> {
  let session: Session;
  try {
    session = open(library, mode, TEST_LIMITS);
  } catch (error) {
    return firstLine(error);
  }
  try {
    return await refusal(session);
  } finally {
    await session.close();
  }
}
