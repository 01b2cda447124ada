import { join } from "node:path";
import type { Turn } from "../../src/index.js";
import { type Database, openDatabase, type Statement } from "../lib/peers.js";

type TextTurn = Turn & { readonly content: string };

/**
 * What a service would do with better-sqlite3: a table of turns and an FTS5 index over their text,
 * in WAL mode with synchronous=FULL, so that a committed turn survives a power cut as ours does.
 */
export class SqliteTurns {
  readonly #database: Database;
  readonly #insert: Statement;
  readonly #index: Statement;
  #next = 1;

  constructor(directory: string) {
    this.#database = openDatabase(join(directory, "turns.sqlite"));
    this.#database.pragma("journal_mode = WAL");
    this.#database.pragma("synchronous = FULL");
    this.#database.exec(`
      create table turns(id integer primary key, role text, speaker text, session text, at integer, content text);
      create virtual table words using fts5(content, content='turns', content_rowid='id');`);
    this.#insert = this.#database.prepare("insert into turns values (?, ?, ?, ?, ?, ?)");
    this.#index = this.#database.prepare("insert into words(rowid, content) values (?, ?)");
  }

  /** All turns in one transaction, durable when it returns. */
  add(turns: readonly TextTurn[]): void {
    this.#database.exec("begin immediate");
    for (const { role, speaker, session, at, content } of turns) {
      const id = this.#next++;
      this.#insert.run(id, role, speaker ?? null, session ?? null, Number(at), content);
      this.#index.run(id, content);
    }
    this.#database.exec("commit");
  }

  close(): void {
    this.#database.close();
  }
}
