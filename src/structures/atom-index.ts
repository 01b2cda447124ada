import {
  checkEach,
  expected,
  expectInteger,
  expectOneOf,
  expectOptions,
  outOfRange,
} from "../internal/check.js";
import { expectAttached, expectUint32Array } from "../internal/views.js";
import type { NativeAdded, NativeAtomIndex, NativeScored } from "../native/atoms-binding.js";
import { loadBinding } from "../native/binding.js";
import { withCancel } from "../native/cancel.js";
import { checkSignal } from "../options.js";
import type {
  AtomAdded,
  AtomAddOptions,
  AtomCalibrateOptions,
  AtomGate,
  AtomIndexOptions,
  AtomMatches,
  AtomNearestAsyncOptions,
  AtomNearestOptions,
  AtomPolicy,
  AtomRule,
  AtomSizes,
  AtomStorage,
  MemberMatches,
} from "./atom-types.js";

export type * from "./atom-types.js";

const MOST_DIMENSIONS = 4096;
const MOST_RANK = 16;
const MOST_NUMBER = 2 ** 32 - 1;
/** In the order of the native enumerations. */
const STORAGES: readonly AtomStorage[] = ["float32", "int8"];
const POLICIES: readonly AtomPolicy[] = [
  "max-member",
  "streaming-proto",
  "online-k-means",
  "dp-means",
];
const GATES: readonly AtomGate[] = ["both", "mean", "member"];
const RULES: readonly AtomRule[] = ["first-singular-vector", "centroid", "subspace", "best-member"];

/**
 * Online clustering of embeddings into atoms: each new member joins the closest atom, or opens one
 * if none is close enough. Nothing is merged, moved or dropped.
 *
 * An embedding counts by its direction alone. The same embeddings in the same order give the same
 * atoms on every machine. Of equally close atoms the one of lower number is taken; numbers of
 * removed members and emptied atoms are not given again.
 *
 * Adding reads every member once, at about the speed of memory. An atom's singular vectors are made
 * when a search first wants them after it has changed; the `Async` twins run on another thread, and
 * copy what they are given first.
 *
 * With `storage: 'int8'` an embedding x of length 1 is rounded to steps of max|x| / 127, which
 * turns a cosine with another one by at most e / sqrt(1 - e²), e = sqrt(dimensions) · max|x| / 254,
 * and by twice that between two rounded ones.
 *
 * After Geng, Wang and Yuan, "Compact-Memory LLM Agents via Online Max-Member Clustering and
 * Atom-Aware Packing", 2026.
 *
 * @example
 * const index = new AtomIndex({ dimensions: 2, threshold: 0.85 });
 * index.add(new Float32Array([1, 0])); // { member: 0, atom: 0, created: true, similarity: -1 }
 * index.add(new Float32Array([1, 0.1])); // { member: 1, atom: 0, created: false, similarity: 0.995 }
 * index.nearest(new Float32Array([0, 1]), { atoms: 1 }); // { atoms: [0], scores: [0.05] }
 */
export class AtomIndex {
  #native: NativeAtomIndex;
  readonly #dimensions: number;

  /** @throws TypeError or RangeError where `options` is of no use. */
  constructor(options: AtomIndexOptions) {
    const native = checkOptions(options);
    this.#dimensions = native.dimensions;
    this.#native = new (loadBinding().AtomIndex)(native);
  }

  /**
   * The index that {@link serialize} wrote.
   *
   * @throws `DentateError` `DENTATE_CORRUPTION` where the bytes are not one, or
   * `DENTATE_VERSION` where a newer version wrote them.
   */
  static deserialize(bytes: Uint8Array): AtomIndex {
    if (!(bytes instanceof Uint8Array)) throw expected("bytes", "a Uint8Array", bytes);
    expectAttached("bytes", bytes);
    const native = new (loadBinding().AtomIndex)(bytes);
    const index = new AtomIndex({ dimensions: native.options.dimensions, threshold: 0 });
    index.#native = native;
    return index;
  }

  /**
   * A threshold for the space that `embeddings` are examples of: a percentile of the cosines of all
   * pairs of at most 50 of them, evenly spread. Where many pairs lie just above it, clusters chain
   * and one atom holds most; `largest` prevents that, at the cost of clustering all embeddings once
   * for each hundredth that the percentile is raised by. 1 where nothing prevents it.
   */
  static calibrate(
    embeddings: readonly Float32Array[],
    options: AtomCalibrateOptions = {},
  ): number {
    const { percentile = 0.7, largest = 1 } = expectOptions("options", options, [
      "percentile",
      "largest",
    ]);
    const share = expectFraction("options.largest", largest);
    if (share === 0) throw outOfRange("options.largest", "a number above 0", largest);
    const { values, dimensions } = flatten("embeddings", embeddings, undefined);
    if (embeddings.length < 2) {
      throw outOfRange("embeddings", "at least 2 embeddings", embeddings.length);
    }
    return loadBinding().AtomIndex.calibrate(
      values,
      dimensions,
      expectFraction("options.percentile", percentile),
      share,
    );
  }

  /** Values in an embedding. */
  get dimensions(): number {
    return this.#dimensions;
  }

  /** The policy that was chosen. */
  get policy(): AtomPolicy {
    return POLICIES[this.#native.options.policy] as AtomPolicy;
  }

  /** How members are held. */
  get storage(): AtomStorage {
    return STORAGES[this.#native.options.storage] as AtomStorage;
  }

  /** The threshold that was given, 0 without one. */
  get threshold(): number {
    return this.#native.options.threshold;
  }

  /** How many members there are. */
  get size(): number {
    return this.#native.size;
  }

  /** How many atoms there are. */
  get count(): number {
    return this.#native.count;
  }

  /** Memory that members and statistics take. */
  get sizeInBytes(): number {
    return this.#native.sizeInBytes;
  }

  /** Adds an embedding, of `dimensions` finite values that are not all zero. */
  add(embedding: Float32Array): AtomAdded {
    return toAdded(this.#native.add(this.#checkVector("embedding", embedding)))[0] as AtomAdded;
  }

  /** {@link add} for each, in their order: all of them, or none if one is of no use. */
  addMany(embeddings: readonly Float32Array[]): AtomAdded[] {
    return toAdded(this.#native.add(this.#flatten("embeddings", embeddings)));
  }

  /**
   * {@link addMany} on another thread. The index may be used meanwhile; what is added by other calls
   * comes in between.
   */
  async addManyAsync(
    embeddings: readonly Float32Array[],
    options?: AtomAddOptions,
  ): Promise<AtomAdded[]> {
    const values = this.#flatten("embeddings", embeddings);
    const signal = checkSignal(expectOptions("options", options ?? {}, ["signal"])["signal"]);
    let task: Promise<NativeAdded> | undefined;
    try {
      const added = await withCancel(signal, (cancel) => {
        task = this.#native.addAsync(values, cancel);
        return task;
      });
      return toAdded(added);
    } catch (error) {
      await task?.catch(() => {}); // until all is taken back
      throw error;
    }
  }

  /**
   * Removes a member: its atom's statistics are those of the others, as if it had never been, and
   * its values are gone from memory. An atom without members vanishes.
   *
   * @returns whether there was such a member.
   */
  remove(member: number): boolean {
    return this.#native.remove(checkNumber("member", member));
  }

  /** The atom of a member, `undefined` if there is no such member. */
  atomOf(member: number): number | undefined {
    return this.#native.atomOf(checkNumber("member", member));
  }

  /** The members of an atom, ascending; none if there is no such atom. */
  members(atom: number): Uint32Array {
    return this.#native.members(checkNumber("atom", atom));
  }

  /** All atoms and their sizes: what shows at once whether clusters chain. */
  sizes(): AtomSizes {
    const { numbers, sizes } = this.#native.atoms();
    return { atoms: numbers, sizes };
  }

  /** What a member is held as: the embedding at length 1, `int8` rounding included. */
  vector(member: number): Float32Array | undefined {
    return this.#native.vector(checkNumber("member", member));
  }

  /** An atom's mean at length 1 (zeros where members cancel out), `undefined` if there is no such atom. */
  centroid(atom: number): Float32Array | undefined {
    return this.#rows(atom, "centroid")[0];
  }

  /**
   * An atom's first right singular vectors, at most `rank`, in descending order of their singular
   * values; none if there is no such atom. The first points to the side of the mean. For each, with
   * A the matrix of the members, |AᵀA v - σ²v| is at most 1e-5 σ₁².
   */
  basis(atom: number): Float32Array[] {
    return this.#rows(atom, "subspace");
  }

  /** The atoms that are nearest to the query. */
  nearest(query: Float32Array, options?: AtomNearestOptions): AtomMatches {
    const { atoms, by } = checkNearest(options, ["atoms", "by"]);
    return toMatches(this.#native.nearest(this.#checkVector("query", query), atoms, by))[0]!;
  }

  /** {@link nearest} for several queries. */
  nearestMany(queries: readonly Float32Array[], options?: AtomNearestOptions): AtomMatches[] {
    const { atoms, by } = checkNearest(options, ["atoms", "by"]);
    return toMatches(this.#native.nearest(this.#flatten("queries", queries), atoms, by));
  }

  /** {@link nearest} on another thread. */
  async nearestAsync(query: Float32Array, options?: AtomNearestAsyncOptions): Promise<AtomMatches> {
    this.#checkVector("query", query);
    return (await this.nearestManyAsync([query], options))[0]!;
  }

  /** {@link nearestMany} on another thread. */
  async nearestManyAsync(
    queries: readonly Float32Array[],
    options?: AtomNearestAsyncOptions,
  ): Promise<AtomMatches[]> {
    const values = this.#flatten("queries", queries);
    const { atoms, by } = checkNearest(options, ["atoms", "by", "signal"]);
    const found = await withCancel(checkSignal(options?.signal), (cancel) =>
      this.#native.nearestAsync(values, atoms, by, cancel),
    );
    return toMatches(found);
  }

  /** The `k` members nearest to the query, of all atoms. */
  nearestMembers(query: Float32Array, k: number): MemberMatches {
    const found = this.#native.nearestMembers(
      this.#checkVector("query", query),
      expectInteger("k", k, 1, MOST_NUMBER),
    );
    return { members: found.numbers, similarities: found.scores };
  }

  /** The cosine of the query with each of these members; 0 where there is no such member. */
  similarities(query: Float32Array, members: Uint32Array): Float32Array {
    return this.#native.similarities(
      this.#checkVector("query", query),
      expectUint32Array("members", members),
    );
  }

  /**
   * The whole index as bytes, for {@link deserialize}: what is read back clusters on as this one
   * does. There is no checksum: who keeps the bytes where they may rot adds one.
   */
  serialize(): Uint8Array {
    return this.#native.serialize();
  }

  /**
   * Reads every stored byte of the members once, for benches.
   *
   * @internal
   */
  sum(): number {
    return this.#native.sum();
  }

  #rows(atom: number, by: AtomRule): Float32Array[] {
    const values = this.#native.statistics(checkNumber("atom", atom), RULES.indexOf(by));
    return Array.from({ length: values.length / this.#dimensions }, (_, i) =>
      values.slice(i * this.#dimensions, (i + 1) * this.#dimensions),
    );
  }

  #checkVector(argument: string, value: unknown): Float32Array {
    return checkVector(argument, value, this.#dimensions);
  }

  #flatten(argument: string, vectors: readonly Float32Array[]): Float32Array {
    return flatten(argument, vectors, this.#dimensions).values;
  }
}

function checkOptions(given: AtomIndexOptions) {
  const options = expectOptions("options", given, [
    "dimensions",
    "threshold",
    "policy",
    "gate",
    "clusters",
    "seed",
    "storage",
    "rank",
  ]);
  const { threshold, clusters, seed, rank = 8 } = options;
  const policy = expectOneOf("options.policy", options["policy"] ?? "max-member", POLICIES);
  const needed = policy === "online-k-means" ? "clusters" : "threshold";
  if (options[needed] === undefined) {
    throw expected(`options.${needed}`, `a number, for policy '${policy}'`, undefined);
  }
  return {
    dimensions: expectInteger("options.dimensions", options["dimensions"], 1, MOST_DIMENSIONS),
    rank: expectInteger("options.rank", rank, 1, MOST_RANK),
    storage: STORAGES.indexOf(
      expectOneOf("options.storage", options["storage"] ?? "float32", STORAGES),
    ),
    policy: POLICIES.indexOf(policy),
    gate: GATES.indexOf(expectOneOf("options.gate", options["gate"] ?? "both", GATES)),
    seeded: seed !== undefined,
    seed: seed === undefined ? 0 : expectInteger("options.seed", seed, 0, Number.MAX_SAFE_INTEGER),
    clusters:
      clusters === undefined ? 0 : expectInteger("options.clusters", clusters, 1, MOST_NUMBER),
    threshold: threshold === undefined ? 0 : expectNumber("options.threshold", threshold, -1),
  };
}

function checkNearest(given: AtomNearestAsyncOptions | undefined, known: readonly string[]) {
  const { atoms = 6, by = "first-singular-vector" } = expectOptions("options", given ?? {}, known);
  return {
    atoms: expectInteger("options.atoms", atoms, 1, MOST_NUMBER),
    by: RULES.indexOf(expectOneOf("options.by", by, RULES)),
  };
}

function checkNumber(argument: string, value: unknown): number {
  return expectInteger(argument, value, 0, MOST_NUMBER);
}

function expectNumber(argument: string, value: unknown, least: number): number {
  if (typeof value !== "number") throw expected(argument, "a number", value);
  if (!(value >= least && value <= 1)) {
    throw outOfRange(argument, `a number from ${least} to 1`, value);
  }
  return value;
}

function expectFraction(argument: string, value: unknown): number {
  return expectNumber(argument, value, 0);
}

/** `value`, or a copy where another thread could change it after the check. */
function checkVector(argument: string, value: unknown, dimensions: number): Float32Array {
  if (!(value instanceof Float32Array)) throw expected(argument, "a Float32Array", value);
  expectAttached(argument, value);
  if (value.length !== dimensions) {
    throw outOfRange(argument, `${dimensions} values`, value.length);
  }
  const vector = value.buffer instanceof SharedArrayBuffer ? value.slice() : value;
  let sizes = 0;
  for (let j = 0; j < dimensions; j++) {
    const size = Math.abs(vector[j]!);
    if (!(size < Number.POSITIVE_INFINITY)) {
      throw outOfRange(`${argument}[${j}]`, "a finite number", vector[j]);
    }
    sizes += size;
  }
  if (sizes === 0) throw outOfRange(argument, "values that are not all zero", "zeros");
  return vector;
}

/** The vectors one after the other, each checked; of the first one's length where none is given. */
function flatten(argument: string, vectors: unknown, given: number | undefined) {
  if (!Array.isArray(vectors)) throw expected(argument, "an array of Float32Arrays", vectors);
  const dimensions = given ?? dimensionsOf(`${argument}[0]`, vectors[0]);
  const checked = checkEach(vectors, (vector, i) =>
    checkVector(`${argument}[${i}]`, vector, dimensions),
  );
  const values = new Float32Array(checked.length * dimensions);
  for (const [i, vector] of checked.entries()) values.set(vector, i * dimensions);
  return { values, dimensions };
}

function dimensionsOf(argument: string, first: unknown): number {
  if (!(first instanceof Float32Array)) throw expected(argument, "a Float32Array", first);
  expectAttached(argument, first);
  return expectInteger(`${argument}.length`, first.length, 1, MOST_DIMENSIONS);
}

function toAdded(numbers: NativeAdded): AtomAdded[] {
  return Array.from({ length: numbers.length / 4 }, (_, i) => ({
    member: numbers[4 * i]!,
    atom: numbers[4 * i + 1]!,
    created: numbers[4 * i + 2] === 1,
    similarity: numbers[4 * i + 3]!,
  }));
}

function toMatches({ numbers, scores, offsets }: NativeScored): AtomMatches[] {
  return Array.from({ length: offsets.length - 1 }, (_, q) => ({
    atoms: numbers.slice(offsets[q], offsets[q + 1]),
    scores: scores.slice(offsets[q], offsets[q + 1]),
  }));
}
