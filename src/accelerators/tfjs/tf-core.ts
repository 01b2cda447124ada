/**
 * What is used of @tensorflow/tfjs-core, which all of its backends give alike: tfjs-node re-exports it,
 * and the wasm and cpu backends register with it. Written down here rather than imported, since its own
 * declarations need further packages of types, and every program that compiles against this one would too.
 *
 * A tensor lives until `dispose()`, or until the end of the `tidy` in which it was made: JavaScript's
 * collector knows nothing of what it holds.
 */
export interface Tensor {
  readonly shape: readonly number[];
  readonly dtype: string;
  /** Its numbers, once they are computed. */
  data(): Promise<Float32Array | Int32Array | Uint8Array>;
  dispose(): void;
}

/** A tensor's numbers; a bool is a byte. */
export type TensorValues = Float32Array | Int32Array | Uint8Array;
export type TensorType = "float32" | "int32" | "bool";

export interface TfCore {
  readonly version_core?: string;
  readonly version: string | Readonly<Record<string, string>>;

  getBackend(): string | undefined;
  setBackend(name: string): Promise<boolean>;
  backend(): unknown;
  findBackend(name: string): unknown;
  getKernel(name: string, backend: string): object | undefined;
  env(): { getBool(flag: string): boolean; set(flag: string, value: boolean): void };
  memory(): { readonly numTensors: number; readonly numBytes: number };
  tidy<T>(work: () => T): T;
  keep(tensor: Tensor): Tensor;

  tensor(values: TensorValues, shape: readonly number[], type?: TensorType): Tensor;
  scalar(value: number, type?: TensorType): Tensor;
  randomNormal(
    shape: readonly number[],
    mean: number,
    deviation: number,
    type: TensorType,
    seed: number,
  ): Tensor;

  clone(a: Tensor): Tensor;
  add(a: Tensor, b: Tensor): Tensor;
  sub(a: Tensor, b: Tensor): Tensor;
  mul(a: Tensor, b: Tensor): Tensor;
  div(a: Tensor, b: Tensor): Tensor;
  maximum(a: Tensor, b: Tensor): Tensor;
  abs(a: Tensor): Tensor;
  square(a: Tensor): Tensor;
  sqrt(a: Tensor): Tensor;
  max(a: Tensor, axis: readonly number[], keepDimensions: boolean): Tensor;
  sum(a: Tensor, axis: number, keepDimensions: boolean): Tensor;
  cast(a: Tensor, type: TensorType): Tensor;
  matMul(a: Tensor, b: Tensor, transposeA?: boolean, transposeB?: boolean): Tensor;
  transpose(a: Tensor, axes?: readonly number[]): Tensor;
  reshape(a: Tensor, shape: readonly number[]): Tensor;
  slice(a: Tensor, begin: readonly number[], size: readonly number[]): Tensor;
  concat(tensors: readonly Tensor[], axis: number): Tensor;
  stack(tensors: readonly Tensor[]): Tensor;
  gather(a: Tensor, ids: Tensor): Tensor;
  topk(a: Tensor, k: number): { readonly values: Tensor; readonly indices: Tensor };
  unsortedSegmentSum(a: Tensor, segments: Tensor, count: number): Tensor;
  readonly sparse: { sparseSegmentSum(a: Tensor, ids: Tensor, segments: Tensor): Tensor };
}
