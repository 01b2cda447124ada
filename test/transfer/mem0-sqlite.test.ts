import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { isSqlite, sqliteRows } from "../../src/transfer/mem0/sqlite.js";

/** Node's own module, which Node 20 has not. */
interface Sqlite {
  DatabaseSync: new (
    path: string,
  ) => {
    exec(sql: string): void;
    prepare(sql: string): { run(...values: unknown[]): void };
    close(): void;
  };
}
const builtIn = "node:sqlite";
const sqlite = await (import(builtIn) as Promise<Sqlite>).catch(() => undefined);

describe("mem0's vector_store.db", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "dentate-sqlite-"));
  });
  after(() => rm(folder, { recursive: true }));

  const skip = sqlite === undefined && "needs node:sqlite, of Node 22.5 and newer";
  it("is read row by row", { skip }, async () => {
    const { DatabaseSync } = sqlite!;
    const path = join(folder, "vector_store.db");
    const database = new DatabaseSync(path);
    // As mem0ai 3.3.1 makes it.
    database.exec(
      "CREATE TABLE vectors (id TEXT PRIMARY KEY, vector BLOB NOT NULL, payload TEXT NOT NULL)",
    );
    const insert = database.prepare("INSERT INTO vectors VALUES (?, ?, ?)");
    for (let i = 0; i < 3; i++) {
      insert.run(`m${i}`, new Uint8Array(16), JSON.stringify({ data: `Fact ${i}` }));
    }
    database.close();
    assert.equal(await isSqlite(path), true);
    const rows = [];
    for await (const row of sqliteRows(path)) rows.push({ ...(row as object) });
    assert.deepEqual(
      rows,
      [0, 1, 2].map((i) => ({ id: `m${i}`, payload: `{"data":"Fact ${i}"}` })),
    );
    const other = join(folder, "history.db");
    new DatabaseSync(other).exec("CREATE TABLE memory_history (id TEXT)");
    await assert.rejects(async () => {
      for await (const _ of sqliteRows(other));
    }, /no table "vectors"/);
  });

  it("is told from JSON, and says what it needs", async () => {
    const text = join(folder, "a.json");
    await writeFile(text, "{}");
    assert.equal(await isSqlite(text), false);
    const path = join(folder, "b.db");
    await writeFile(path, `SQLite format 3\0${"\0".repeat(100)}`);
    assert.equal(await isSqlite(path), true);
    await assert.rejects(async () => {
      for await (const _ of sqliteRows(path));
    });
  });
});
