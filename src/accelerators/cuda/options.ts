import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import {
  expected,
  expectInteger,
  expectOneOf,
  expectOptions,
  outOfRange,
} from "../../internal/check.js";
import { hostName } from "../../native/addon-path.js";
import { CUDA_PRECISIONS } from "../../native/cuda-binding.js";
import { packageFolder } from "../../package.js";
import { AcceleratorUnavailable } from "../unavailable.js";

/** How the plugin is loaded. */
export interface CudaOptions {
  /**
   * Path of the plugin; else `DENTATE_CUDA_PLUGIN`, else the one that was built here, else the
   * package `dentate-linux-x64-cuda`.
   */
  readonly plugin?: string | undefined;
  /** The device's number, 0 unless given. */
  readonly device?: number | undefined;
  /** Bytes of its memory that may be held; else `DENTATE_CUDA_MEMORY`, else 80% of what is free. */
  readonly memory?: number | undefined;
  /** How vectors are held for the scan that proposes rows: "fp16" unless given. The order is float64's in any case. */
  readonly precision?: (typeof CUDA_PRECISIONS)[number] | undefined;
}

export interface ResolvedCudaOptions {
  readonly plugin: string;
  readonly device: number;
  /** Bytes; 0: the plugin's default. */
  readonly memory: number;
  /** Its place in {@link CUDA_PRECISIONS}. */
  readonly precision: number;
}

const UNITS: Readonly<Record<string, number>> = { "": 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

export function resolveCudaOptions(options: CudaOptions | undefined): ResolvedCudaOptions {
  const known = ["plugin", "device", "memory", "precision"] as const;
  const given = expectOptions("options", options ?? {}, known);
  const {
    plugin = process.env["DENTATE_CUDA_PLUGIN"] || undefined,
    device = 0,
    memory = memoryOf(process.env["DENTATE_CUDA_MEMORY"]),
    precision = "fp16",
  } = given;
  if (plugin !== undefined && typeof plugin !== "string") {
    throw expected("options.plugin", "a path", plugin);
  }
  const checked = {
    device: expectInteger("options.device", device, 0, 1023),
    memory: expectInteger("options.memory", memory, 0, Number.MAX_SAFE_INTEGER),
    precision: CUDA_PRECISIONS.indexOf(
      expectOneOf("options.precision", precision, CUDA_PRECISIONS),
    ),
  };
  // Searched for last, so that a mistake is named where there is no plugin too.
  return { ...checked, plugin: plugin ?? findPlugin() };
}

/** What was built here comes first, as it does for the addon. */
function findPlugin(): string {
  const built = join(packageFolder(), "build", "Release", "dentate_cuda.so");
  if (existsSync(built)) return built;
  const name = `dentate-${hostName()}-cuda`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/dentate_cuda.so`);
  } catch (cause) {
    throw new AcceleratorUnavailable(
      `the CUDA plugin is not installed: neither the package ${name} nor '${built}' is there`,
      { cause },
    );
  }
}

/** Bytes, as a number with or without K, M or G behind it. */
function memoryOf(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  const match = /^(\d{1,12})([KMG]?)$/i.exec(text);
  if (match === null) {
    throw outOfRange("DENTATE_CUDA_MEMORY", "bytes, such as 8G or 500M", text);
  }
  return Number(match[1]) * UNITS[match[2]!.toUpperCase()]!;
}
