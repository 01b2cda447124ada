import { readAma } from "./ama.js";
import type { Dataset, ReadOptions } from "./dataset.js";
import { readGeneric } from "./generic.js";
import { readLocomo } from "./locomo.js";
import { readLocomoPlus } from "./locomo-plus.js";
import { readLongMemEval } from "./longmemeval.js";
import { readRealMem } from "./realmem.js";

const READERS = {
  locomo: readLocomo,
  realmem: readRealMem,
  ama: readAma,
  longmemeval: readLongMemEval,
  "locomo-plus": readLocomoPlus,
  generic: readGeneric,
} as const satisfies Record<string, (path: string, options: ReadOptions) => Dataset>;

export type DatasetName = keyof typeof READERS;

export const DATASETS = Object.keys(READERS) as DatasetName[];

export function readDataset(name: DatasetName, path: string, options: ReadOptions): Dataset {
  return READERS[name](path, options);
}
