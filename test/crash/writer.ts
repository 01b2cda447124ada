import { openSync, writeSync } from "node:fs";
import { Memory, type Turn } from "../../src/index.js";
import {
  BANKS,
  type BankName,
  batchName,
  type Known,
  type Line,
  memoryOptions,
  type Operation,
  type Orders,
  randomNumbers,
  textOf,
} from "./workload.js";

/**
 * The process that gets killed: opens a store, changes it along several lanes at a time, and tells of
 * each operation before it calls and after it was acknowledged.
 *
 * It tells by writing to a file: what a write call has taken survives the process.
 */
process.once("message", (orders: Orders) => {
  run(orders).then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
// Nobody is left to tell.
process.once("disconnect", () => process.exit(1));
process.send!("loaded");

async function run(orders: Orders): Promise<void> {
  const report = openSync(orders.report, "a");
  const tell = (line: Line) => void writeSync(report, `${JSON.stringify(line)}\n`);
  tell({ phase: "opening" });
  const memory = await Memory.open(orders.directory, memoryOptions(orders.encrypted));
  tell({ phase: "adding" });
  process.send!("open");

  const random = randomNumbers(orders.seed);
  const choices = new Choices(orders.known, random);
  let next = 0;
  const lane = async () => {
    while (next < orders.operations) {
      const operation = choices.choose();
      const number = next++;
      tell({ submitted: number, operation });
      const isLong =
        operation.kind === "seal" || operation.kind === "compact" || operation.kind === "purge";
      if (isLong) tell({ phase: operation.kind });
      const ids = await perform(memory, operation, batchName(orders.round, number));
      if (isLong) tell({ phase: "adding" });
      tell({ acknowledged: number, ids });
      choices.done(operation, batchName(orders.round, number), ids);
    }
  };
  await Promise.all(Array.from({ length: orders.lanes }, lane));
  tell({ phase: "closing" });
  await memory.close();
  tell({ phase: "closed" });
}

async function perform(memory: Memory, operation: Operation, batch: string): Promise<string[]> {
  switch (operation.kind) {
    case "add":
    case "addEach": {
      const turns = Array.from({ length: operation.count }, (_, item) =>
        turn(batch, item, operation.count),
      );
      const bank = memory.bank(operation.bank);
      const added =
        operation.kind === "addEach" || turns.length === 1
          ? await Promise.all(turns.map((each) => bank.add(each)))
          : await bank.addMany(turns);
      return added.map(({ id }) => id);
    }
    case "update": {
      const updated = await memory
        .bank(operation.bank)
        .update(operation.id, { content: textOf(batch, 0) });
      if (updated?.content !== textOf(batch, 0)) throw new Error(`update of ${operation.id}`);
      return [];
    }
    case "delete":
      if ((await memory.bank(operation.bank).delete(operation.id)) !== 1) {
        throw new Error(`delete of ${operation.id}`);
      }
      return [];
    case "deleteBatch":
      await memory.bank(operation.bank).deleteWhere({ metadata: { batch: operation.batch } });
      return [];
    case "drop":
      await memory.dropBank(operation.bank);
      return [];
    case "seal":
      await memory.seal();
      return [];
    case "compact":
      await memory.compact();
      return [];
    case "purge":
      await memory.purge();
      return [];
  }
}

function turn(batch: string, item: number, size: number): Turn {
  return {
    role: "user",
    speaker: `speaker ${item % 3}`,
    content: textOf(batch, item),
    session: batch,
    metadata: { batch, size },
  };
}

/** What to do next; never two things at a time with the same entry, batch, or dropped bank. */
class Choices {
  readonly #random: () => number;
  /** Of `changing`: ids that nothing is being done with. */
  readonly #entries: string[] = [];
  /** Of `batches`: the same. */
  readonly #batches = new Set<string>();
  #dropping = false;
  #addingToDropped = 0;
  #resting = true;

  constructor(known: readonly Known[], random: () => number) {
    this.#random = random;
    for (const { bank, id, batch } of known) {
      if (bank === BANKS.changing) this.#entries.push(id);
      if (bank === BANKS.batches) this.#batches.add(batch);
    }
  }

  choose(): Operation {
    const percent = this.#random() % 100;
    if (percent < 17) return this.#add(BANKS.growing, 1);
    if (percent < 20) {
      // So many that threads encode them.
      return { kind: "addEach", bank: BANKS.growing, count: 20 + (this.#random() % 60) };
    }
    if (percent < 36) return this.#add(BANKS.batches, 2 + (this.#random() % 8));
    if (percent < 44) return this.#deleteBatch();
    if (percent < 62) return this.#add(BANKS.changing, 1);
    if (percent < 74) return this.#ofEntry("update");
    if (percent < 82) return this.#ofEntry("delete");
    if (percent < 92 && !this.#dropping) {
      this.#addingToDropped++;
      return this.#add(BANKS.dropped, 1 + (this.#random() % 3));
    }
    if (percent < 94 && !this.#dropping && this.#addingToDropped === 0) {
      this.#dropping = true;
      return { kind: "drop", bank: BANKS.dropped };
    }
    if (percent < 96 && this.#resting) {
      this.#resting = false;
      return { kind: (["seal", "seal", "purge", "compact"] as const)[this.#random() % 4]! };
    }
    return this.#add(BANKS.growing, 1);
  }

  done(operation: Operation, batch: string, ids: readonly string[]): void {
    if (operation.kind === "add" && operation.bank === BANKS.changing) this.#entries.push(...ids);
    if (operation.kind === "add" && operation.bank === BANKS.batches) this.#batches.add(batch);
    if (operation.kind === "add" && operation.bank === BANKS.dropped) this.#addingToDropped--;
    if (operation.kind === "update") this.#entries.push(operation.id);
    if (operation.kind === "drop") this.#dropping = false;
    if (!("bank" in operation)) this.#resting = true;
  }

  #add(bank: BankName, count: number): Operation {
    return { kind: "add", bank, count };
  }

  #deleteBatch(): Operation {
    const batches = [...this.#batches];
    const batch = batches[this.#random() % batches.length];
    if (batch === undefined) return this.#add(BANKS.growing, 1);
    this.#batches.delete(batch);
    return { kind: "deleteBatch", bank: BANKS.batches, batch };
  }

  #ofEntry(kind: "update" | "delete"): Operation {
    if (this.#entries.length === 0) return this.#add(BANKS.growing, 1);
    const [id] = this.#entries.splice(this.#random() % this.#entries.length, 1);
    return { kind, bank: BANKS.changing, id: id! };
  }
}
