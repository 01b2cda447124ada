import { randomNumbers, textOf } from "../crash/workload.js";
import { Book, type Doubt, type Listed } from "./book.js";
import { InDoubt, type Requests } from "./requests.js";

/** More entries than this in a bank, and the oldest go: a store that grows hides a process that does. */
const MOST_ENTRIES = 400;
/** As the service has them in `ingest`. */
const INGEST_BATCH = 256;
const INGEST_LINES = 300;
const CROWD = 16;
/** One of so many steps may be an add that is sent twice: the service keeps its answer for a day. */
const REPEATED = 50;
const BUDGET = 500;
const PAGE = 1000;
const USER = "ana";

interface AddAnswer {
  readonly results: readonly { readonly id: string }[];
}

export interface LaneOptions {
  /** The beginning of its banks' names. */
  readonly name: string;
  /** A bank that its key may not touch. */
  readonly foreign: string;
  readonly requests: Requests;
  readonly seed: number;
  /** Nobody interferes with the service. */
  readonly isCalm: boolean;
}

/** One of a lane's banks, and what must be in it. */
interface Place {
  readonly bank: string;
  readonly path: string;
  readonly book: Book;
}

/**
 * One tenant: does one thing after the other with banks that nobody else may touch, knows what must be
 * in them, and compares.
 */
export class Lane {
  readonly #name: string;
  readonly #requests: Requests;
  readonly #foreign: string;
  readonly #isCalm: boolean;
  readonly #random: () => number;
  readonly #main: Place;
  readonly #crowd: Place;
  readonly #mem0: Place;
  #steps = 0;
  /** How many requests nobody knows the end of. */
  inDoubt = 0;

  constructor({ name, foreign, requests, seed, isCalm }: LaneOptions) {
    this.#name = name;
    this.#foreign = foreign;
    this.#requests = requests;
    this.#isCalm = isCalm;
    this.#random = randomNumbers(seed);
    this.#main = place(`${name}/main`);
    this.#crowd = place(`${name}/crowd`);
    this.#mem0 = place(`${name}/mem0?user_id=${USER}`);
  }

  /** @throws what is wrong. */
  async step(): Promise<void> {
    this.#steps++;
    try {
      await this.#choose();
    } catch (error) {
      if (!(error instanceof InDoubt)) throw error;
      this.inDoubt++;
      await this.compare();
    }
  }

  /** Reads all that there is, until nobody interferes, and settles what is in doubt. */
  async compare(): Promise<void> {
    for (const { path, book } of [this.#main, this.#crowd, this.#mem0]) {
      for (;;) {
        try {
          book.compare(await this.#list(path));
          break;
        } catch (error) {
          if (!(error instanceof InDoubt)) throw error;
        }
      }
    }
  }

  #choose(): Promise<void> {
    const full = [this.#main, this.#crowd].find(({ book }) => book.size > MOST_ENTRIES);
    if (full !== undefined) return this.#deleteBatch(full, 0);
    const percent = this.#random() % 100;
    if (percent < 25) return this.#add();
    if (percent < 27) return this.#ingest();
    if (percent < 31) return this.#addAtOnce();
    if (percent < 46) return this.#recall();
    if (percent < 52) return this.compare();
    if (percent < 60) return this.#look();
    if (percent < 68) return this.#update();
    if (percent < 74) return this.#delete();
    if (percent < 78) return this.#deleteBatch(this.#main, this.#random());
    if (percent < 79) return this.#drop();
    if (percent < 87) return this.#addMem0();
    if (percent < 91) return this.#searchMem0();
    if (percent < 96) return this.#changeMem0();
    return this.#misuse();
  }

  async #add(): Promise<void> {
    const { path, book } = this.#main;
    const texts = this.#texts(1 + (this.#random() % 4));
    const body = { turns: texts.map((text) => this.#turn(text)) };
    const doubt = this.#doubtfulAdd(texts, texts.length);
    // Sent again, it must not be done again; the next process would know nothing of it.
    const again = this.#isCalm && this.#steps % REPEATED === 0;
    const headers = again && { "Idempotency-Key": `${this.#name} ${this.#steps}` };
    const send = () =>
      this.#requests.ask("add", {
        path: `${path}/turns`,
        body: JSON.stringify(body),
        ...(headers && { headers }),
      });
    const answer = await this.#doubting(book, send, () => doubt);
    const ids = (JSON.parse(answer) as AddAnswer).results.map(({ id }) => id);
    book.added(this.#batch, texts, ids);
    if (again) expect((await send()) === answer, `an add that was sent again: not ${answer}`);
    if (this.#random() % 3 === 0) await this.#expectRecalled(texts[0]!, ids[0]!);
  }

  /** A resolved add is in the next recall. */
  async #expectRecalled(text: string, id: string): Promise<void> {
    const question = `What is ${text.split(" ", 1)[0]}?`;
    const found = await this.#recallOf(question);
    expect(
      found.items.some((item) => item.id === id),
      `${question}: ${id} is missing`,
    );
  }

  async #recallOf(question: string) {
    const found = await this.#requests.json<{ tokens: number; items: { id: string }[] }>(
      "recall",
      "POST",
      `${this.#main.path}/recall`,
      { question, budget: BUDGET, explain: this.#random() % 4 === 0 },
    );
    expect(found.tokens <= BUDGET, `${found.tokens} tokens in a budget of ${BUDGET}`);
    return found;
  }

  async #recall(): Promise<void> {
    const about = this.#pick(this.#main.book.ids);
    const words = about === undefined ? "Lisbon garden" : this.#main.book.textOf(about);
    await this.#recallOf(`What about ${words.split(" ").slice(1, 8).join(" ")}?`);
  }

  async #ingest(): Promise<void> {
    const { path, book } = this.#main;
    const texts = this.#texts(INGEST_LINES);
    const body = texts.map((text) => `${JSON.stringify(this.#turn(text))}\n`).join("");
    const send = () => this.#requests.ask("ingest", { path: `${path}/ingest`, body });
    const answer = await this.#doubting(book, send, (cutOff) => ({
      ...this.#doubtfulAdd(texts, INGEST_BATCH),
      least: idsOf(cutOff).length,
    }));
    book.added(this.#batch, texts, idsOf(answer));
  }

  /** Single adds at once: they share trips to the disk. */
  async #addAtOnce(): Promise<void> {
    const { path, book } = this.#crowd;
    const texts = this.#texts(CROWD);
    const open = new Set(texts);
    const results = await Promise.allSettled(
      texts.map(async (text) => {
        const { results: added } = await this.#requests.json<AddAnswer>(
          "add",
          "POST",
          `${path}/turns`,
          { turns: [this.#turn(text)] },
        );
        book.added(this.#batch, [text], [added[0]!.id]);
        open.delete(text);
      }),
    );
    if (open.size > 0) book.doubt(this.#doubtfulAdd([...open], 1));
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  async #look(): Promise<void> {
    const { path, book } = this.#main;
    const id = this.#pick(book.ids);
    if (id === undefined) return;
    const { content } = await this.#requests.json<Listed>("get", "GET", `${path}/entries/${id}`);
    expect(content === book.textOf(id), `${id} is "${content}"`);
    const { versions } = await this.#requests.json<{ versions: readonly Listed[] }>(
      "history",
      "GET",
      `${path}/entries/${id}/history`,
    );
    expect(versions.at(-1)?.content === book.textOf(id), `the history of ${id}`);
  }

  async #update(): Promise<void> {
    const { path, book } = this.#main;
    const id = this.#pick(book.ids);
    if (id === undefined) return;
    const [text] = this.#texts(1) as [string];
    const send = () =>
      this.#requests.json("update", "PATCH", `${path}/entries/${id}`, { content: text });
    await this.#doubting(book, send, () => ({ kind: "update", id, text }));
    book.updated(id, text);
  }

  async #delete(): Promise<void> {
    const { path, book } = this.#main;
    const id = this.#pick(book.ids);
    if (id === undefined) return;
    const send = () => this.#requests.json("delete", "DELETE", `${path}/entries/${id}`);
    await this.#doubting(book, send, () => ({ kind: "delete", ids: [id] }));
    book.deleted([id]);
  }

  async #deleteBatch({ path, book }: Place, which: number): Promise<void> {
    const any = book.ids[which % Math.max(1, book.size)];
    if (any === undefined) return;
    const batch = book.batchOf(any);
    const ids = book.ofBatch(batch);
    const body = { filter: { metadata: { batch } } };
    const send = () =>
      this.#requests.json<{ deleted: number }>("deleteWhere", "POST", `${path}/delete`, body);
    const { deleted } = await this.#doubting(book, send, () => ({ kind: "delete", ids }));
    expect(deleted === ids.length, `${deleted} of batch ${batch} deleted, not ${ids.length}`);
    book.deleted(ids);
  }

  async #drop(): Promise<void> {
    const { path, book } = this.#main;
    const { ids } = book;
    const send = () => this.#requests.json("drop", "DELETE", path);
    await this.#doubting(book, send, () => ({ kind: "delete", ids }));
    book.deleted(ids);
  }

  async #addMem0(): Promise<void> {
    const { book } = this.#mem0;
    const texts = this.#texts(1 + (this.#random() % 2));
    const body = {
      user_id: USER,
      messages: texts.map((content) => ({ role: "user", content })),
      metadata: { batch: this.#batch },
    };
    const send = () =>
      this.#requests.json<AddAnswer>("mem0 add", "POST", "/v3/memories/add/", body);
    const doubt = this.#doubtfulAdd(texts, texts.length);
    const { results } = await this.#doubting(book, send, () => doubt);
    book.added(
      this.#batch,
      texts,
      results.map(({ id }) => id.split(".")[1]!),
    );
  }

  async #searchMem0(): Promise<void> {
    const filters = { user_id: USER };
    const query = "What about the garden in Lisbon?";
    await this.#requests.json("mem0 search", "POST", "/v3/memories/search/", { query, filters });
    const { count } = await this.#requests.json<{ count: number }>(
      "mem0 list",
      "POST",
      "/v3/memories/",
      { filters },
    );
    expect(count === this.#mem0.book.size, `${count} memories, not ${this.#mem0.book.size}`);
  }

  async #changeMem0(): Promise<void> {
    const { book } = this.#mem0;
    const id = this.#pick(book.ids);
    if (id === undefined) return;
    const scope = Buffer.from(`user_id=${USER}`).toString("base64url");
    const path = `/v1/memories/${scope}.${id}/`;
    if (book.size > MOST_ENTRIES / 4 || this.#random() % 2 === 0) {
      const send = () => this.#requests.json("mem0 delete", "DELETE", path);
      await this.#doubting(book, send, () => ({ kind: "delete", ids: [id] }));
      book.deleted([id]);
    } else {
      const [text] = this.#texts(1) as [string];
      const send = () => this.#requests.json("mem0 update", "PUT", path, { text });
      await this.#doubting(book, send, () => ({ kind: "update", id, text }));
      book.updated(id, text);
    }
  }

  /** What must be refused, in our words. */
  async #misuse(): Promise<void> {
    const { path } = this.#main;
    const foreign = `/v1/banks/${encodeURIComponent(this.#foreign)}`;
    await this.#requests.ask("403", { method: "GET", path: `${foreign}/entries` }, 403);
    await this.#requests.ask("400", { path: `${path}/turns`, body: '{"turns":[]}' }, 400);
    await this.#requests.ask("404", { method: "GET", path: `${path}/entries/e999999999` }, 404);
  }

  async #list(path: string): Promise<Listed[]> {
    const all: Listed[] = [];
    for (let after = ""; ; ) {
      const { entries, next } = await this.#requests.json<{ entries: Listed[]; next?: string }>(
        "list",
        "GET",
        `${path}/entries?limit=${PAGE}${after}`,
      );
      all.push(...entries);
      if (next === undefined) return all;
      after = `&after=${next}`;
    }
  }

  /** What a request that changes a bank answers; where it is cut off, the book is told what to look for. */
  async #doubting<T>(
    book: Book,
    send: () => Promise<T>,
    doubtOf: (body: string) => Doubt,
  ): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (error instanceof InDoubt) book.doubt(doubtOf(error.body));
      throw error;
    }
  }

  #doubtfulAdd(texts: readonly string[], whole: number): Doubt & { readonly kind: "add" } {
    return { kind: "add", batch: this.#batch, texts, whole, least: 0 };
  }

  get #batch(): string {
    return `${this.#name}/${this.#steps}`;
  }

  /** Each begins with a word that occurs nowhere else. */
  #texts(count: number): string[] {
    return Array.from(
      { length: count },
      (_, i) => `zq${this.#name}x${this.#steps}i${i} ${textOf(this.#batch, i)}`,
    );
  }

  #turn(content: string): object {
    return { role: "user", content, session: this.#batch, metadata: { batch: this.#batch } };
  }

  #pick<T>(list: readonly T[]): T | undefined {
    return list[this.#random() % Math.max(1, list.length)];
  }
}

function place(bank: string): Place {
  return { bank, path: `/v1/banks/${encodeURIComponent(bank)}`, book: new Book() };
}

/** Of whole lines: each tells of a batch that is stored. */
function idsOf(answer: string): string[] {
  return answer
    .split("\n")
    .slice(0, -1)
    .flatMap((line) => (JSON.parse(line) as AddAnswer).results.map(({ id }) => id));
}

function expect(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}
