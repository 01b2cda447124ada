import { DentateError } from "../errors.js";
import { expected, expectInteger, expectMultiple } from "../internal/check.js";
import { withCancel } from "../native/cancel.js";
import type {
  AcceleratorDriver,
  AcceleratorManifest,
  AcceleratorName,
  AcceleratorOptions,
  CosineMatches,
  DeviceSignatures,
  DeviceVectors,
  HammingBallMatches,
  HammingTopMatches,
  Operation,
  Subspaces,
  VectorGroups,
} from "./accelerator.js";
import {
  checkDimensions,
  checkGroups,
  checkIds,
  checkOffsets,
  checkRows,
  checkRunOptions,
  checkWords,
  MOST_BITS,
  MOST_ROWS,
} from "./arguments.js";
import { SignaturesHandle, VectorsHandle } from "./handles.js";

/** How often an operation ran, and how long in all. */
export interface OperationUse {
  readonly operation: Operation;
  readonly calls: number;
  readonly ms: number;
}

/**
 * An accelerator as its users see it: arguments are checked, handles are its own and living, and what
 * ran is counted. {@link selectAccelerator} gives one.
 *
 * ```ts
 * const { accelerator } = await selectAccelerator();
 * const vectors = await accelerator.vectors(rows, 384);
 * const { ids, scores } = await accelerator.cosineTopK(question, vectors, 10);
 * vectors.dispose();
 * await accelerator.close();
 * ```
 *
 * All reject with `DENTATE_CLOSED` once it is closed or the handle disposed of, `DENTATE_ABORTED` when the
 * signal fires, `DENTATE_UNAVAILABLE` where the accelerator lacks the operation, and with what the driver
 * fails with.
 */
export class Accelerator implements AsyncDisposable {
  readonly #driver: AcceleratorDriver;
  readonly #handles = new Set<VectorsHandle | SignaturesHandle>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #uses = new Map<Operation, { calls: number; ms: number }>();
  #closing: Promise<void> | undefined;

  /** Drivers come from the registry, or are one's own. */
  constructor(driver: AcceleratorDriver) {
    if (typeof driver?.manifest?.operations !== "object") {
      throw expected("driver", "a driver with a manifest", driver);
    }
    this.#driver = driver;
  }

  /** One of {@link ACCELERATORS}. */
  get name(): AcceleratorName {
    return this.#driver.manifest.name;
  }

  /** What it can do, how precisely, and from which size on it pays. */
  get manifest(): AcceleratorManifest {
    return this.#driver.manifest;
  }

  /** What it runs on, in words. */
  get device(): string {
    return this.#driver.device;
  }

  /** Whether it was closed. */
  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /** Handles that are not disposed of. */
  get openHandles(): number {
    return this.#handles.size;
  }

  /** What ran so far. */
  get uses(): readonly OperationUse[] {
    return [...this.#uses].map(([operation, use]) => ({ operation, ...use }));
  }

  /** Whether it has an operation. */
  can(operation: Operation): boolean {
    return this.manifest.operations[operation] !== undefined;
  }

  /** Copies vectors to where it computes. `rows` must stay as they are until it has. */
  async vectors(rows: Float32Array, dimensions: number): Promise<DeviceVectors> {
    this.#assertOpen();
    checkDimensions("dimensions", dimensions);
    const count = checkRows("rows", rows, dimensions);
    return this.#track(
      this.#driver.vectors(rows, dimensions).then((own) => {
        const handle: VectorsHandle = new VectorsHandle(own, count, dimensions, () =>
          this.#handles.delete(handle),
        );
        return this.#keep(handle);
      }),
    );
  }

  /** Copies signatures to where it computes. `rows` must stay as they are until it has. */
  async signatures(rows: BigUint64Array, bits: number): Promise<DeviceSignatures> {
    this.#assertOpen();
    expectMultiple("bits", bits, 64, MOST_BITS);
    const count = checkWords("rows", rows, bits);
    return this.#track(
      this.#driver.signatures(rows, bits).then((own) => {
        const handle: SignaturesHandle = new SignaturesHandle(own, count, bits, () =>
          this.#handles.delete(handle),
        );
        return this.#keep(handle);
      }),
    );
  }

  /** The k vectors with the highest cosine to each query. */
  async cosineTopK(
    queries: Float32Array,
    vectors: DeviceVectors,
    k: number,
    options?: AcceleratorOptions,
  ): Promise<CosineMatches> {
    const handle = this.#vectors("vectors", vectors);
    checkRows("queries", queries, handle.dimensions);
    expectInteger("k", k, 1, MOST_ROWS);
    const asked = queries.slice();
    return this.#run("cosineTopK", options, (driver, run) =>
      handle.using((own) => driver.cosineTopK!(asked, own, k, run)),
    );
  }

  /** The first right singular vector of each group. */
  async firstSingularVectors(
    groups: VectorGroups,
    options?: AcceleratorOptions,
  ): Promise<Float32Array> {
    const checked = checkGroups("groups", groups);
    return this.#run("firstSingularVectors", options, (driver, run) =>
      driver.firstSingularVectors!(checked, run),
    );
  }

  /** The first `rank` right singular vectors of each group, and their values. */
  async subspaces(
    groups: VectorGroups,
    rank: number,
    options?: AcceleratorOptions,
  ): Promise<Subspaces> {
    const checked = checkGroups("groups", groups);
    expectInteger("rank", rank, 1, checked.dimensions);
    return this.#run("subspaces", options, (driver, run) => driver.subspaces!(checked, rank, run));
  }

  /** The k signatures nearest to each query. */
  async hammingTopK(
    queries: BigUint64Array,
    signatures: DeviceSignatures,
    k: number,
    options?: AcceleratorOptions,
  ): Promise<HammingTopMatches> {
    const handle = this.#signatures("signatures", signatures);
    checkWords("queries", queries, handle.bits);
    expectInteger("k", k, 1, MOST_ROWS);
    const asked = queries.slice();
    return this.#run("hammingTopK", options, (driver, run) =>
      handle.using((own) => driver.hammingTopK!(asked, own, k, run)),
    );
  }

  /** The signatures at most `radius` bits from each query. */
  async hammingWithin(
    queries: BigUint64Array,
    signatures: DeviceSignatures,
    radius: number,
    options?: AcceleratorOptions,
  ): Promise<HammingBallMatches> {
    const handle = this.#signatures("signatures", signatures);
    checkWords("queries", queries, handle.bits);
    expectInteger("radius", radius, 0, handle.bits);
    const asked = queries.slice();
    return this.#run("hammingWithin", options, (driver, run) =>
      handle.using((own) => driver.hammingWithin!(asked, own, radius, run)),
    );
  }

  /** Text to vectors by a static model: the sums of the table's rows, of unit length. */
  async embed(
    table: DeviceVectors,
    ids: Uint32Array,
    offsets: Uint32Array,
    options?: AcceleratorOptions,
  ): Promise<Float32Array> {
    const handle = this.#vectors("table", table);
    const checkedIds = checkIds("ids", ids, handle.count);
    const checkedOffsets = checkOffsets("offsets", offsets, checkedIds.length);
    return this.#run("embed", options, (driver, run) =>
      handle.using((own) => driver.embed!(own, checkedIds, checkedOffsets, run)),
    );
  }

  /** Ends it, once what runs is done: all that it holds is given back. Closed twice, it is closed. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    await Promise.allSettled(this.#running);
    for (const handle of this.#handles) handle.dispose();
    await this.#driver.close();
  }

  async #run<T>(
    operation: Operation,
    options: AcceleratorOptions | undefined,
    work: (driver: AcceleratorDriver, options: AcceleratorOptions) => Promise<T>,
  ): Promise<T> {
    this.#assertOpen();
    const signal = checkRunOptions(options);
    if (!this.can(operation)) {
      throw new DentateError("DENTATE_UNAVAILABLE", `'${this.name}' has no ${operation}`);
    }
    const began = performance.now();
    try {
      return await withCancel(signal, () => this.#track(work(this.#driver, { signal })));
    } finally {
      const use = this.#uses.get(operation) ?? { calls: 0, ms: 0 };
      this.#uses.set(operation, use);
      use.calls++;
      use.ms += performance.now() - began;
    }
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }

  #keep<T extends VectorsHandle | SignaturesHandle>(handle: T): T {
    this.#handles.add(handle);
    return handle;
  }

  #vectors(argument: string, value: unknown): VectorsHandle {
    this.#assertOpen();
    if (!(value instanceof VectorsHandle)) {
      throw expected(argument, "what vectors() resolved to", value);
    }
    this.#assertOwn(argument, value);
    return value;
  }

  #signatures(argument: string, value: unknown): SignaturesHandle {
    this.#assertOpen();
    if (!(value instanceof SignaturesHandle)) {
      throw expected(argument, "what signatures() resolved to", value);
    }
    this.#assertOwn(argument, value);
    return value;
  }

  #assertOwn(argument: string, handle: VectorsHandle | SignaturesHandle): void {
    if (handle.isDisposed) {
      throw new DentateError("DENTATE_CLOSED", `${argument}: they are disposed of`);
    }
    if (!this.#handles.has(handle)) {
      throw new TypeError(`${argument}: expected those of this accelerator, got another's`);
    }
  }

  #assertOpen(): void {
    if (this.isClosed) throw closed();
  }
}

function closed(): DentateError {
  return new DentateError("DENTATE_CLOSED", "the accelerator is closed");
}
