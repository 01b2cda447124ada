import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DentateError } from "../../errors.js";

/**
 * Vectors on disk, by key: a file each, in 256 folders by the key's first byte. Any number of
 * processes may share a directory.
 *
 *   offset  bytes
 *        0      8  "DNTEMBD1"
 *        8      8  the first of the SHA-256 of what follows
 *       16    4 d  the vector: float32, little-endian
 *
 * A file is written under another name and then renamed, so that it is there whole or not; nothing is
 * synced. What a power failure leaves of one fails its checksum, and is as if it weren't there: the
 * vector is made again and written over it.
 */
export class VectorFiles {
  readonly #directory: string;
  readonly #dimensions: number;
  readonly #folders = new Map<string, Promise<unknown>>();

  constructor(directory: string, dimensions: number) {
    this.#directory = directory;
    this.#dimensions = dimensions;
  }

  /** @param key Hexadecimal digits. */
  async read(key: string): Promise<Float32Array | undefined> {
    const bytes = await readFile(this.#path(key)).catch(() => undefined);
    if (bytes?.length !== HEADER_BYTES + 4 * this.#dimensions) return undefined;
    const values = bytes.subarray(HEADER_BYTES);
    if (!bytes.subarray(0, HEADER_BYTES).equals(headerOf(values))) return undefined;
    const vector = new Float32Array(this.#dimensions);
    for (let i = 0; i < vector.length; i++) vector[i] = values.readFloatLE(4 * i);
    return vector;
  }

  /** @throws {@link DentateError} `DENTATE_IO`. */
  async write(key: string, vector: Float32Array): Promise<void> {
    const values = Buffer.alloc(4 * vector.length);
    for (const [i, value] of vector.entries()) values.writeFloatLE(value, 4 * i);
    const path = this.#path(key);
    const scratch = `${path}.${process.pid}-${randomBytes(4).toString("hex")}.tmp`;
    try {
      await this.#folder(key);
      await writeFile(scratch, Buffer.concat([headerOf(values), values]));
      await rename(scratch, path);
    } catch (cause) {
      await rm(scratch, { force: true }).catch(() => {});
      throw new DentateError("DENTATE_IO", `cannot write to the cache ${this.#directory}`, {
        cause,
      });
    }
  }

  #path(key: string): string {
    return join(this.#directory, key.slice(0, 2), key.slice(2));
  }

  #folder(key: string): Promise<unknown> {
    const name = key.slice(0, 2);
    let made = this.#folders.get(name);
    if (made === undefined) {
      made = mkdir(join(this.#directory, name), { recursive: true });
      this.#folders.set(name, made);
      made.catch(() => this.#folders.delete(name));
    }
    return made;
  }
}

const MAGIC = Buffer.from("DNTEMBD1", "latin1");
const HEADER_BYTES = 16;

function headerOf(values: Uint8Array): Buffer {
  const digest = createHash("sha256").update(values).digest();
  return Buffer.concat([MAGIC, digest.subarray(0, HEADER_BYTES - MAGIC.length)]);
}
