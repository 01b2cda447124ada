import { type Contestant, timed } from "../lib/contest.js";
import { type Database, installPeers, openDatabase, requirePeer } from "../lib/peers.js";

const ROWS_PER_INSERT = 500;

/** A vec0 table of bit vectors in memory, through better-sqlite3. */
export class SqliteVec {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  /** Installs what this needs where it is absent. Returns why not, if not. */
  static install(): string | undefined {
    return installPeers();
  }

  static open(bits: number, chunks: Iterable<BigUint64Array>): SqliteVec {
    const database = openDatabase(":memory:");
    (requirePeer("sqlite-vec") as { load(database: Database): void }).load(database);
    database.exec(`create virtual table signatures using vec0(signature bit[${bits}])`);
    database.exec("begin");
    const rows = new Array(ROWS_PER_INSERT).fill("(vec_bit(?))").join(",");
    const insertMany = database.prepare(`insert into signatures(signature) values ${rows}`);
    const insertOne = database.prepare("insert into signatures(signature) values (vec_bit(?))");
    const bytes = bits / 8;
    let pending: Uint8Array[] = [];
    for (const chunk of chunks) {
      const all = new Uint8Array(chunk.buffer);
      for (let at = 0; at < all.length; at += bytes) {
        pending.push(all.subarray(at, at + bytes));
        if (pending.length === ROWS_PER_INSERT) {
          insertMany.run(...pending);
          pending = [];
        }
      }
    }
    for (const row of pending) insertOne.run(row);
    database.exec("commit");
    return new SqliteVec(database);
  }

  /** The k nearest; checks the distance of the k-th, which has to be the same in any exact answer. */
  nearest(query: BigUint64Array, k: number, farthest: number): Contestant {
    const statement = this.#database.prepare(
      "select rowid, distance from signatures where signature match vec_bit(?) and k = ?",
    );
    const bytes = new Uint8Array(query.buffer, query.byteOffset, query.byteLength);
    return timed(() => {
      const rows = statement.all(bytes, k) as { distance: number }[];
      const found = rows.at(-1)?.distance;
      if (found !== farthest) {
        throw new Error(`sqlite-vec: the ${k}-th is ${found} bits away, not ${farthest}`);
      }
      return rows.length;
    });
  }

  close(): void {
    this.#database.close();
  }
}
