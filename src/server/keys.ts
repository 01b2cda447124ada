import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Caller } from "./caller.js";

/**
 * API keys. A key is 32 random bytes, so that its SHA-256 can be kept instead of it: there is no
 * dictionary to guess from, and a slow hash would only slow the service. A key file is JSON:
 *
 * ```json
 * { "keys": [{ "id": "agent-a", "sha256": "9f86…", "banks": ["tenant-a/*"], "admin": false }] }
 * ```
 *
 * A bank pattern is a name, or the beginning of names and a `*` at the end. A key with `metrics` may read
 * `/metrics`, which counts what all keys do; an administrator's may as well.
 */
export interface KeyRecord {
  readonly id: string;
  /** 64 hex digits. */
  readonly sha256: string;
  readonly banks: readonly string[];
  readonly admin?: boolean | undefined;
  readonly metrics?: boolean | undefined;
}

const PREFIX = "dnt_";
const SECRET_BYTES = 32;
const MOST_PATTERNS = 1000;

/** A new key and what is kept of it. */
export function makeKey(
  id: string,
  banks: readonly string[],
  admin = false,
  metrics = false,
): { readonly key: string; readonly record: KeyRecord } {
  const key = PREFIX + randomBytes(SECRET_BYTES).toString("base64url");
  const sha256 = sha256Of(key);
  return { key, record: { id, sha256, banks, admin, ...(metrics && { metrics }) } };
}

/** The keys that a service knows. */
export class KeyRing {
  /** By the SHA-256 of each, in hex. */
  #keys: ReadonlyMap<string, { readonly sha256: Buffer; readonly caller: Caller }> = new Map();

  /** @throws TypeError where a record makes no sense. */
  constructor(records: readonly KeyRecord[]) {
    this.replace(records);
  }

  /**
   * From the next request on these are the keys, in a service that runs, too. Limits go on for keys that
   * keep their ids.
   *
   * @throws TypeError where a record makes no sense: the keys are the old ones then.
   */
  replace(records: readonly KeyRecord[]): void {
    const ids = new Set<string>();
    const keys = records.map((record, i) => {
      checkRecord(record, `keys[${i}]`);
      if (ids.has(record.id)) throw new TypeError(`keys[${i}].id: "${record.id}" is there twice`);
      ids.add(record.id);
      return { sha256: Buffer.from(record.sha256, "hex"), caller: callerOf(record) };
    });
    this.#keys = new Map(keys.map((key) => [key.sha256.toString("hex"), key]));
  }

  /** Reads a key file. @throws TypeError, SyntaxError. */
  static parse(json: string): KeyRing {
    return new KeyRing(recordsOf(json));
  }

  /** {@link replace}, by what a key file says. @throws TypeError, SyntaxError: the keys are the old ones then. */
  reread(json: string): void {
    this.replace(recordsOf(json));
  }

  /** How many there are. */
  get size(): number {
    return this.#keys.size;
  }

  /**
   * Whose key it is. It is looked up by its hash, since a service may have ten thousand keys. How long that
   * takes depends on hashes, which nobody can choose without the key: it tells nothing of a key to who
   * has none. What is found is compared in constant time all the same.
   */
  callerOf(key: string): Caller | undefined {
    const given = sha256Of(key);
    const known = this.#keys.get(given);
    if (known === undefined) return undefined;
    return timingSafeEqual(Buffer.from(given, "hex"), known.sha256) ? known.caller : undefined;
  }
}

function recordsOf(json: string): readonly KeyRecord[] {
  const parsed: unknown = JSON.parse(json);
  const keys = (parsed as { readonly keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys)) throw new TypeError('keys: expected { "keys": [...] }');
  return keys as KeyRecord[];
}

function sha256Of(key: string): string {
  return hash("sha256", key, "hex");
}

function callerOf({ id, banks, admin = false, metrics = admin }: KeyRecord): Caller {
  const names = new Set(banks.filter((pattern) => !pattern.endsWith("*")));
  const prefixes = banks.filter((pattern) => pattern.endsWith("*")).map((p) => p.slice(0, -1));
  return {
    id,
    isAdmin: admin,
    mayWatch: metrics || admin,
    prefix: prefixes[0],
    ownBank: names.size === 1 && prefixes.length === 0 ? [...names][0] : undefined,
    mayUse: (bank) => names.has(bank) || prefixes.some((prefix) => bank.startsWith(prefix)),
  };
}

function checkRecord(record: KeyRecord, where: string): void {
  if (typeof record !== "object" || record === null) throw new TypeError(`${where}: not an object`);
  const { id, sha256, banks, admin, metrics } = record as {
    readonly [key in keyof KeyRecord]: unknown;
  };
  if (typeof id !== "string" || id === "") throw new TypeError(`${where}.id: expected a name`);
  if (typeof sha256 !== "string" || !/^[\da-f]{64}$/i.test(sha256)) {
    throw new TypeError(`${where}.sha256: expected 64 hex digits`);
  }
  if (
    !Array.isArray(banks) ||
    banks.length > MOST_PATTERNS ||
    !banks.every((pattern) => typeof pattern === "string" && /^[^*]*\*?$/.test(pattern))
  ) {
    throw new TypeError(`${where}.banks: expected names, or beginnings of names and *`);
  }
  for (const [name, flag] of Object.entries({ admin, metrics })) {
    if (flag !== undefined && typeof flag !== "boolean") {
      throw new TypeError(`${where}.${name}: expected true or false`);
    }
  }
}
