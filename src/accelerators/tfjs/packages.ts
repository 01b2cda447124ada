import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import util from "node:util";
import { expectOneOf } from "../../internal/check.js";
import { AcceleratorUnavailable } from "../unavailable.js";
import type { Tensor, TfCore } from "./tf-core.js";

/**
 * Where TensorFlow.js can compute, best first. Each is an optional peer dependency.
 *
 *   node-gpu  @tensorflow/tfjs-node-gpu                         libtensorflow, CUDA 11
 *   node      @tensorflow/tfjs-node                             libtensorflow
 *   wasm      @tensorflow/tfjs-core, tfjs-backend-wasm          SIMD, one thread
 *   cpu       @tensorflow/tfjs-core, tfjs-backend-cpu           plain JavaScript
 */
export const TFJS_BACKENDS = ["node-gpu", "node", "wasm", "cpu"] as const;
/** One of {@link TFJS_BACKENDS}. */
export type TfjsBackend = (typeof TFJS_BACKENDS)[number];

/** A backend that runs. */
export interface LoadedBackend {
  readonly name: TfjsBackend;
  readonly tf: TfCore;
  /** Its name in tfjs: both node packages are `tensorflow`. */
  readonly registeredAs: string;
  readonly usesGpu: boolean;
  /** Of the GPU; undefined where there is none or nobody says. */
  readonly memoryBytes: number | undefined;
  /** In words. */
  readonly device: string;
}

/** What libtensorflow's backend has and the others don't: any of its operations, by name. */
export interface TensorFlowBackend {
  readonly binding: {
    readonly TF_ATTR_TYPE: number;
    readonly TF_ATTR_BOOL: number;
    readonly TF_FLOAT: number;
  };
  readonly isUsingGpuDevice: boolean;
  readonly isGPUPackage: boolean;
  executeMultipleOutputs(
    operation: string,
    attributes: readonly { name: string; type: number; value: number | boolean }[],
    inputs: readonly Tensor[],
    outputCount: number,
  ): Tensor[];
}

/** Which backend is wanted, if any one, and from where. */
export interface ChosenTfjs {
  readonly backend: TfjsBackend | undefined;
  readonly folder: string;
}

/** What the caller or the environment says. @throws TypeError, RangeError. */
export function chooseTfjs(backend: unknown, folder: string | undefined): ChosenTfjs {
  const given = backend ?? (process.env["DENTATE_TFJS_BACKEND"] || undefined);
  return {
    backend: given === undefined ? undefined : expectOneOf("backend", given, TFJS_BACKENDS),
    folder:
      folder ??
      (process.env["DENTATE_TFJS_FOLDER"] || fileURLToPath(new URL(".", import.meta.url))),
  };
}

/** The first backend that loads. @throws AcceleratorUnavailable which says of each why it does not. */
export async function loadFirstBackend({ backend, folder }: ChosenTfjs): Promise<LoadedBackend> {
  const reasons: string[] = [];
  for (const name of backend === undefined ? TFJS_BACKENDS : [backend]) {
    try {
      return await loadBackend(name, folder);
    } catch (error) {
      if (!(error instanceof AcceleratorUnavailable)) throw error;
      reasons.push(error.message);
    }
  }
  throw new AcceleratorUnavailable([...new Set(reasons)].join("; "));
}

/** Loads a backend's packages as if from a file in `folder`. @throws AcceleratorUnavailable. */
export async function loadBackend(name: TfjsBackend, folder: string): Promise<LoadedBackend> {
  const require = createRequire(resolve(folder, "any.js"));
  if (name === "node-gpu" || name === "node") return loadTensorFlow(name, require);
  const tf = load<TfCore>(require, "@tensorflow/tfjs-core");
  const own = `@tensorflow/tfjs-backend-${name}`;
  const backend = load<{ setWasmPaths?(folder: string): void }>(require, own);
  if (name === "wasm") {
    const binary = require.resolve(`${own}/dist/tfjs-backend-wasm.wasm`);
    backend.setWasmPaths?.(`${dirname(binary)}/`);
  }
  await start(tf, name);
  const simd = name === "wasm" && tf.env().getBool("WASM_HAS_SIMD_SUPPORT") ? " with SIMD" : "";
  const kind = name === "wasm" ? `WebAssembly${simd}, one thread` : "plain JavaScript";
  return {
    name,
    tf,
    registeredAs: name,
    usesGpu: false,
    memoryBytes: undefined,
    device: `${own} ${versionOf(require, own)}, ${kind}`,
  };
}

async function loadTensorFlow(
  name: "node-gpu" | "node",
  require: NodeJS.Require,
): Promise<LoadedBackend> {
  const own = `@tensorflow/tfjs-${name}`;
  // 4.22 calls two functions that Node.js 23 no longer has.
  const old = util as unknown as Record<string, unknown>;
  old["isNullOrUndefined"] ??= (value: unknown) => value == null;
  old["isArray"] ??= Array.isArray;
  // Without this, TensorFlow multiplies float32 matrices with ten bits of mantissa on newer GPUs. It is
  // read when CUDA's library is first used.
  process.env["NVIDIA_TF32_OVERRIDE"] ??= "0";
  const tf = load<TfCore>(require, own);
  await start(tf, "tensorflow");
  const backend = tf.findBackend("tensorflow") as TensorFlowBackend;
  if (backend.isGPUPackage !== (name === "node-gpu")) {
    throw new AcceleratorUnavailable(`another package has TensorFlow in this process`);
  }
  const usesGpu = backend.isUsingGpuDevice;
  const gpu = usesGpu ? nvidiaGpu() : undefined;
  const processor =
    name === "node" ? "the CPU" : "the CPU: TensorFlow found no GPU that it can use";
  return {
    name,
    tf,
    registeredAs: "tensorflow",
    usesGpu,
    memoryBytes: gpu?.memoryBytes,
    device: `${own} ${versionOf(require, own)}, ${usesGpu ? (gpu?.name ?? "a GPU") : processor}`,
  };
}

/** What loads models: part of tfjs-node, a package of its own beside the others. @throws AcceleratorUnavailable. */
export function loadConverter<T>({ name, tf }: LoadedBackend, folder: string): T {
  if (name === "node-gpu" || name === "node") return tf as T;
  return load<T>(createRequire(resolve(folder, "any.js")), "@tensorflow/tfjs-converter");
}

/** Makes the backend the current one: it stays so where there was none, else `Runtime` puts the old one back. */
async function start(tf: TfCore, registeredAs: string): Promise<void> {
  const before = tf.getBackend();
  if (!(await tf.setBackend(registeredAs))) {
    throw new AcceleratorUnavailable(`tfjs could not start its backend '${registeredAs}'`);
  }
  // The cpu backend prints an advertisement on first use, unless tfjs is in its mode for production.
  const wasProduction = tf.env().getBool("PROD");
  tf.env().set("PROD", true);
  tf.scalar(0).dispose();
  tf.env().set("PROD", wasProduction);
  if (before) await tf.setBackend(before);
}

function load<T>(require: NodeJS.Require, name: string): T {
  let path: string;
  try {
    path = require.resolve(name);
  } catch {
    throw new AcceleratorUnavailable(`${name} is not installed`);
  }
  try {
    return require(path) as T;
  } catch (cause) {
    const [line] = String(cause instanceof Error ? cause.message : cause).split("\n");
    throw new AcceleratorUnavailable(`${name} does not load: ${line}`, { cause });
  }
}

function versionOf(require: NodeJS.Require, name: string): string {
  return (require(`${name}/package.json`) as { version: string }).version;
}

/** The first GPU as its driver names it; TensorFlow does not say on which it runs. */
function nvidiaGpu(): { name: string; memoryBytes: number } | undefined {
  try {
    const query = ["--query-gpu=name,memory.total", "--format=csv,noheader,nounits"];
    const line = execFileSync("nvidia-smi", query, { encoding: "utf8", timeout: 5000 }).split(
      "\n",
    )[0]!;
    const comma = line.lastIndexOf(",");
    return {
      name: line.slice(0, comma).trim(),
      memoryBytes: Number(line.slice(comma + 1)) * 2 ** 20,
    };
  } catch {
    return undefined;
  }
}
