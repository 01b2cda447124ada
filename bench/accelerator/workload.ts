import type { Operation } from "../../src/accelerators/accelerator.js";
import type { Accelerator } from "../../src/accelerators/index.js";

/** One question to an accelerator, at one size. */
export interface Workload {
  /** The operation, and how many queries at once where that makes a difference. */
  readonly name: string;
  readonly operation: Operation;
  /** Bytes of the rows: what must be read once at least. */
  bytes(size: number): number;
  /** Floating-point operations of the definition; 0 where there are none. */
  flops(size: number): number;
  /** Makes the data, the same each time. */
  at(size: number): Case;
}

/** The data of a workload, which all accelerators are given. */
export interface Case {
  /** Uploads what stays with the accelerator. */
  prepare(accelerator: Accelerator): Promise<Prepared>;
}

/** An accelerator that holds the data. */
export interface Prepared {
  /** Answers once. */
  run(): Promise<unknown>;
  /** Answers once, and compares it with float64 loops. @throws where it is wrong. */
  check(): Promise<void>;
  dispose(): void;
}

/** Numbers in [-1, 1): a linear congruential generator (Knuth, TAOCP 2, 3.3.4), for it must be fast. */
export function uniforms(length: number, seed: number): Float32Array {
  const numbers = new Float32Array(length);
  let state = Math.imul(seed, 0x9e3779b9) | 1;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    numbers[i] = state / 2 ** 31;
  }
  return numbers;
}

/** 32 bits each: the finaliser of MurmurHash3 over a counter, whose low bits are as good as the high. */
export function randomWords(length: number, seed: number): Uint32Array {
  const words = new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    let mixed = Math.imul(i + 1, 0x9e3779b9) ^ seed;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    words[i] = mixed ^ (mixed >>> 16);
  }
  return words;
}

/** What the accelerator states, but no less than a sum of float32 may be off. */
export function toleranceOf(accelerator: Accelerator, operation: Operation): number {
  return Math.max(1e-6, accelerator.manifest.operations[operation]?.tolerance ?? 0);
}

/** @throws where it isn't so. */
export function assertRight(
  right: boolean,
  { name }: Accelerator,
  operation: Operation,
  what: string,
): void {
  if (!right) throw new Error(`${name}: ${operation}: ${what}`);
}
