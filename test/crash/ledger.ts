import assert from "node:assert/strict";
import type { Entry, Memory } from "../../src/index.js";
import {
  BANK_NAMES,
  type BankName,
  batchName,
  type Known,
  type Line,
  type Operation,
  type Phase,
  textOf,
} from "./workload.js";

/** An entry as it must be. */
interface Expected {
  readonly batch: string;
  /** Texts of its versions, oldest first. */
  texts: string[];
}

interface InDoubt {
  readonly operation: Operation;
  readonly batch: string;
}

/** What one round came to. */
export interface RoundResult {
  readonly phase: Phase;
  /** Operations acknowledged, and entries that these added. */
  readonly acknowledged: number;
  readonly entries: number;
  /** Operations that the kill came between, and how many of them were found done. */
  readonly inDoubt: number;
  readonly done: number;
}

/**
 * What must be in a store: what was acknowledged, and of what was submitted and not acknowledged
 * each operation whole or not at all, and of adds at once the first ones. What is found of the latter
 * counts from then on.
 */
export class Ledger {
  readonly #banks = new Map<BankName, Map<string, Expected>>(
    BANK_NAMES.map((name) => [name, new Map()]),
  );
  #inDoubt: InDoubt[] = [];
  /** Since then old versions may be gone. */
  #purged = false;

  get isEmpty(): boolean {
    return BANK_NAMES.every((name) => this.#banks.get(name)!.size === 0);
  }

  known(): Known[] {
    return BANK_NAMES.flatMap((bank) =>
      Array.from(this.#banks.get(bank)!, ([id, { batch }]) => ({ bank, id, batch })),
    );
  }

  /** Takes in the report of a writer that is dead. */
  read(round: number, report: string): Omit<RoundResult, "done"> {
    let phase: Phase = "opening";
    let acknowledged = 0;
    let entries = 0;
    const pending = new Map<number, Operation>();
    // A last line that has no end was being written: what it tells of had not been called yet, or its
    // acknowledgement had not been taken yet.
    for (const text of report.split("\n").slice(0, -1)) {
      const line = JSON.parse(text) as Line;
      if ("phase" in line) {
        phase = line.phase;
      } else if ("submitted" in line) {
        pending.set(line.submitted, line.operation);
        if (line.operation.kind === "purge") this.#purged = true;
      } else {
        const operation = pending.get(line.acknowledged)!;
        pending.delete(line.acknowledged);
        this.#apply(operation, batchName(round, line.acknowledged), line.ids ?? []);
        acknowledged++;
        if (operation.kind === "add" || operation.kind === "addEach") {
          assert.equal(line.ids?.length, operation.count);
          entries += operation.count;
        }
      }
    }
    this.#inDoubt = Array.from(pending, ([number, operation]) => ({
      operation,
      batch: batchName(round, number),
    }));
    return { phase, acknowledged, entries, inDoubt: pending.size };
  }

  /** Compares; throws what is wrong. Returns how many of the operations in doubt were done. */
  async check(memory: Memory): Promise<number> {
    const found = new Map<BankName, Entry[]>();
    for (const bank of BANK_NAMES) found.set(bank, await listAll(memory, bank));
    let done = 0;
    for (const inDoubt of this.#inDoubt) if (this.#settle(inDoubt, found)) done++;
    this.#inDoubt = [];
    for (const bank of BANK_NAMES) await this.#compare(memory, bank, found.get(bank)!);
    return done;
  }

  #bank(name: BankName): Map<string, Expected> {
    return this.#banks.get(name)!;
  }

  #apply(operation: Operation, batch: string, ids: readonly string[]): void {
    switch (operation.kind) {
      case "add":
      case "addEach":
        for (const [item, id] of ids.entries()) {
          assert.ok(!this.#bank(operation.bank).has(id), `${operation.bank}: ${id} given twice`);
          this.#bank(operation.bank).set(id, { batch, texts: [textOf(batch, item)] });
        }
        break;
      case "update":
        this.#bank(operation.bank).get(operation.id)!.texts.push(textOf(batch, 0));
        break;
      case "delete":
        this.#bank(operation.bank).delete(operation.id);
        break;
      case "deleteBatch":
        for (const id of this.#ofBatch(operation.bank, operation.batch)) {
          this.#bank(operation.bank).delete(id);
        }
        break;
      case "drop":
        this.#bank(operation.bank).clear();
        break;
    }
  }

  #ofBatch(bank: BankName, batch: string): string[] {
    const all = Array.from(this.#bank(bank));
    return all.filter(([, entry]) => entry.batch === batch).map(([id]) => id);
  }

  /** Whether what nobody heard of was done, as a whole; otherwise it must not have been at all. */
  #settle({ operation, batch }: InDoubt, found: ReadonlyMap<BankName, readonly Entry[]>): boolean {
    if (!("bank" in operation)) return false;
    const entries = found.get(operation.bank)!;
    const has = (id: string) => entries.some((entry) => entry.id === id);
    let done = false;
    let ids: readonly string[] = [];
    switch (operation.kind) {
      case "add":
        ids = entries.filter(({ metadata }) => metadata["batch"] === batch).map(({ id }) => id);
        assert.ok(
          ids.length === 0 || ids.length === operation.count,
          `${operation.bank}: ${ids.length} of ${operation.count} entries of batch ${batch}`,
        );
        done = ids.length > 0;
        break;
      case "addEach": {
        const those = entries.filter(({ metadata }) => metadata["batch"] === batch);
        for (const [item, { content }] of those.entries()) {
          assert.equal(content, textOf(batch, item), `${operation.bank}: one without those before`);
        }
        ids = those.map(({ id }) => id);
        done = ids.length > 0;
        break;
      }
      case "update":
        done = entries.find(({ id }) => id === operation.id)?.content === textOf(batch, 0);
        break;
      case "delete":
        done = !has(operation.id);
        break;
      case "deleteBatch":
      case "drop": {
        const whole =
          operation.kind === "drop"
            ? [...this.#bank(operation.bank).keys()]
            : this.#ofBatch(operation.bank, operation.batch);
        const left = whole.filter(has).length;
        assert.ok(
          left === 0 || left === whole.length,
          `${operation.bank}: ${left} of ${whole.length} entries are left of what was deleted together`,
        );
        done = left === 0 && whole.length > 0;
      }
    }
    if (done) this.#apply(operation, batch, ids);
    return done;
  }

  async #compare(memory: Memory, bank: BankName, found: readonly Entry[]): Promise<void> {
    const expected = this.#bank(bank);
    for (const { id, content, metadata, version } of found) {
      const entry = expected.get(id);
      assert.ok(entry !== undefined, `${bank}: ${id} is there, which should not be: ${content}`);
      assert.equal(content, entry.texts.at(-1), `${bank}: the text of ${id}`);
      assert.equal(metadata["batch"], entry.batch, `${bank}: the batch of ${id}`);
      if (!this.#purged) assert.equal(version, entry.texts.length, `${bank}: the version of ${id}`);
    }
    if (found.length !== expected.size) {
      const ids = new Set(found.map(({ id }) => id));
      const lost = [...expected.keys()].filter((id) => !ids.has(id));
      assert.fail(`${bank}: acknowledged and lost: ${lost.join(", ")}`);
    }
    assert.equal((await memory.bank(bank).stats()).entries, expected.size, `${bank}: the count`);
    const updated = found.filter(({ id }) => expected.get(id)!.texts.length > 1).slice(0, 3);
    for (const { id } of updated) {
      const texts = (await memory.bank(bank).history(id)).map(({ content }) => content);
      const all = expected.get(id)!.texts;
      // A purge may have come between two updates, and leaves the newest one of that time.
      assert.deepEqual(
        texts,
        all.slice(this.#purged ? -texts.length : 0),
        `${bank}: the history of ${id}`,
      );
    }
  }
}

/** All entries of a bank, in order. */
export async function listAll(memory: Memory, bank: string): Promise<Entry[]> {
  const all: Entry[] = [];
  for (;;) {
    const after = all.at(-1)?.id;
    const page = await memory.bank(bank).list({ limit: 10_000, after });
    all.push(...page);
    if (page.length < 10_000) return all;
  }
}
