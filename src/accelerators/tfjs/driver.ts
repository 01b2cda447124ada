import type {
  AcceleratorDriver,
  AcceleratorManifest,
  AcceleratorOptions,
  CosineMatches,
  DeviceSignatures,
  DeviceVectors,
  HammingBallMatches,
  HammingTopMatches,
  Subspaces,
  VectorGroups,
} from "../accelerator.js";
import type { TfjsBackend } from "./packages.js";
import type { Runtime } from "./runtime.js";
import { hammingTopK, hammingWithin, TfjsSignatures } from "./signatures.js";
import { subspaces } from "./singular.js";
import { cosineTopK, embed, TfjsVectors } from "./vectors.js";

/** What a backend of TensorFlow.js does, all of it by tfjs-core's operations. */
export class TfjsDriver implements AcceleratorDriver {
  readonly manifest: AcceleratorManifest;
  readonly device: string;
  /** Which one runs. */
  readonly backend: TfjsBackend;
  /** Whether on a GPU: tfjs-node-gpu goes on without one, and says nothing. */
  readonly usesGpu: boolean;
  readonly #runtime: Runtime;
  readonly #held = new Set<TfjsVectors | TfjsSignatures>();

  constructor(runtime: Runtime, manifest: AcceleratorManifest) {
    const { device, name, usesGpu } = runtime.loaded;
    this.#runtime = runtime;
    this.manifest = manifest;
    this.device = device;
    this.backend = name;
    this.usesGpu = usesGpu;
  }

  async vectors(rows: Float32Array, dimensions: number): Promise<DeviceVectors> {
    return this.#hold(await TfjsVectors.from(this.#runtime, rows, dimensions));
  }

  async signatures(rows: BigUint64Array, bits: number): Promise<DeviceSignatures> {
    return this.#hold(await TfjsSignatures.from(this.#runtime, rows, bits));
  }

  cosineTopK(
    queries: Float32Array,
    vectors: DeviceVectors,
    k: number,
    options?: AcceleratorOptions,
  ): Promise<CosineMatches> {
    return cosineTopK(this.#runtime, queries, vectors as TfjsVectors, k, options);
  }

  async firstSingularVectors(
    groups: VectorGroups,
    options?: AcceleratorOptions,
  ): Promise<Float32Array> {
    return (await subspaces(this.#runtime, groups, 1, options)).vectors;
  }

  subspaces(groups: VectorGroups, rank: number, options?: AcceleratorOptions): Promise<Subspaces> {
    return subspaces(this.#runtime, groups, rank, options);
  }

  hammingTopK(
    queries: BigUint64Array,
    signatures: DeviceSignatures,
    k: number,
    options?: AcceleratorOptions,
  ): Promise<HammingTopMatches> {
    return hammingTopK(this.#runtime, queries, signatures as TfjsSignatures, k, options);
  }

  hammingWithin(
    queries: BigUint64Array,
    signatures: DeviceSignatures,
    radius: number,
    options?: AcceleratorOptions,
  ): Promise<HammingBallMatches> {
    return hammingWithin(this.#runtime, queries, signatures as TfjsSignatures, radius, options);
  }

  embed(
    table: DeviceVectors,
    ids: Uint32Array,
    offsets: Uint32Array,
    options?: AcceleratorOptions,
  ): Promise<Float32Array> {
    return embed(this.#runtime, table as TfjsVectors, ids, offsets, options);
  }

  async close(): Promise<void> {
    for (const rows of this.#held) rows.dispose();
    this.#held.clear();
  }

  #hold<T extends TfjsVectors | TfjsSignatures>(rows: T): T {
    this.#held.add(rows);
    rows.onDispose = () => this.#held.delete(rows);
    return rows;
  }
}
