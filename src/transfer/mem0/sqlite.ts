import { open } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { IngestError } from "../../ingest/ingest-error.js";

/** The first bytes of every such file. */
const MAGIC = "SQLite format 3\0";

/** What is used of either package that reads these files. */
interface Database {
  prepare(sql: string): { iterate(): Iterable<unknown>; get(): unknown };
  close(): void;
}
type DatabaseClass = new (path: string, options: object) => Database;

/** Whether a file is a database of SQLite, as mem0's library for JavaScript keeps by itself. */
export async function isSqlite(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
    return bytesRead === MAGIC.length && buffer.toString("latin1") === MAGIC;
  } finally {
    await file.close();
  }
}

/**
 * The rows of mem0's `vector_store.db`: `{ id, payload }`. It is read by Node's own module where there is
 * one (22.5 or newer), or else by the `better-sqlite3` of the project that this runs in, which
 * mem0 needs itself.
 *
 * @throws IngestError where it is another database, or neither is there.
 */
export async function* sqliteRows(path: string): AsyncGenerator<unknown> {
  const database = await openDatabase(path);
  try {
    const table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'vectors'";
    if (database.prepare(table).get() === undefined) {
      throw new IngestError(`${path}: has no table "vectors", as mem0's vector_store.db does`);
    }
    yield* database.prepare("SELECT id, payload FROM vectors ORDER BY rowid").iterate();
  } finally {
    database.close();
  }
}

async function openDatabase(path: string): Promise<Database> {
  // Named so that the compiler does not look for what Node 20 has not.
  const builtIn = "node:sqlite";
  try {
    const { DatabaseSync } = (await import(builtIn)) as { DatabaseSync: DatabaseClass };
    return new DatabaseSync(path, { readOnly: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_UNKNOWN_BUILTIN_MODULE") throw error;
  }
  const requireHere = createRequire(join(process.cwd(), "package.json"));
  let Database: DatabaseClass;
  try {
    Database = requireHere("better-sqlite3") as DatabaseClass;
  } catch (cause) {
    throw new IngestError(
      `${path}: needs Node 22.5, or better-sqlite3 where this command is run (or sqlite3 -json ${path} 'select id, payload from vectors')`,
      { cause },
    );
  }
  return new Database(path, { readonly: true });
}
