import { append, type Placed } from "./append-batch.js";
import type { BankHandle } from "./bank-handle.js";
import { idOf } from "./ids.js";
import type { Store } from "./store.js";
import type { CheckedTurn } from "./turn.js";
import type { AddResult } from "./types.js";

/** Waiting turns that are not kept waiting any longer, by number and by characters. */
const MOST_TURNS = 64;
const MOST_CHARACTERS = 64 * 1024;
/** A sync that takes less is not worth waiting for: 64 turns take that long to be appended. */
const QUICK_SYNC_MS = 1.5;
/** Turns that are appended where syncs are quick, so that one is under way while more are. */
const MOST_TURNS_WHILE_QUICK = 32;

interface Waiting extends Placed {
  readonly bank: BankHandle;
  readonly turn: CheckedTurn;
  readonly dedupe: boolean;
  readonly resolve: (result: AddResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Single adds on their way to the log. Those that callers make in one turn of the event loop go
 * there as one append, which costs a third of as many by themselves, and become durable together:
 *
 *   add ─► waiting ─► when the microtasks are done: one append a bank ─► log ─► synced ─► all resolve
 *
 * While a slow sync is under way, what comes waits for its end: callers that it lets go then add
 * again, and share the next sync with those that came meanwhile. Otherwise two halves of them would
 * take turns, each waiting for the other's sync too. Where syncs are quick, two may be under way, so
 * that one is made while this thread works on the other.
 *
 * Invariants: turns of a bank are appended in the order in which they came; {@link flush} comes
 * before whatever else writes to it. An append that fails is made again turn by turn, so that it is
 * the turn at fault whose caller is told.
 */
export class AddQueue {
  readonly #store: Store;
  #waiting: Waiting[] = [];
  #characters = 0;
  #isScheduled = false;
  /** Appends that are not durable yet. */
  #pending = 0;
  /** How long they take to become durable, not counting what this thread was late to see. */
  #syncMs = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Resolves when the turn is as durable as the memory was opened for. */
  add(bank: BankHandle, turn: CheckedTurn, dedupe: boolean): Promise<AddResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bank, turn, dedupe, ingested: Date.now(), resolve, reject });
      this.#characters += turn.content.length;
      const most = this.#areSyncsQuick ? MOST_TURNS_WHILE_QUICK : MOST_TURNS;
      if (this.#waiting.length >= most || this.#characters >= MOST_CHARACTERS) this.flush();
      else this.#schedule();
    });
  }

  /** Appends all that waits, now. */
  flush(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#characters = 0;
    for (const run of runsOf(waiting)) this.#append(run);
  }

  /** When all has run that is about to run: callers that resume together add together. */
  #schedule(): void {
    if (this.#isScheduled || !this.#mayAppend()) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      if (this.#mayAppend()) this.flush();
    });
  }

  get #areSyncsQuick(): boolean {
    return this.#syncMs < QUICK_SYNC_MS;
  }

  #mayAppend(): boolean {
    return this.#pending === 0 || (this.#pending === 1 && this.#areSyncsQuick);
  }

  #append(run: readonly Waiting[]): void {
    let appended: { ids: string[]; duplicates: Uint8Array; sequence: number };
    try {
      appended = this.#appendNow(run);
    } catch (error) {
      if (run.length === 1) run[0]!.reject(error);
      else for (const one of run) this.#append([one]);
      return;
    }
    const { ids, duplicates, sequence } = appended;
    const began = performance.now();
    const ended = () => {
      this.#pending--;
      // Soon less, and slowly more: one that took long may have been seen late.
      this.#syncMs = Math.min(performance.now() - began, 1.25 * this.#syncMs + 0.05);
      if (this.#waiting.length > 0) this.#schedule();
    };
    this.#pending++;
    this.#store.waits.until(sequence).then(
      () => {
        ended();
        for (const [i, { resolve }] of run.entries()) {
          resolve({ id: ids[i]!, status: duplicates[i] === 1 ? "duplicate" : "added" });
        }
      },
      (error: unknown) => {
        ended();
        for (const { reject } of run) reject(error);
      },
    );
  }

  #appendNow(run: readonly Waiting[]) {
    const { bank, dedupe } = run[0]!;
    const { turnEncoder } = this.#store;
    const list = turnEncoder.scratch;
    list.clear();
    turnEncoder.encode(
      list,
      run.map(({ turn }) => turn),
    );
    const { sequence, entries, duplicates } = append(bank.native, run, list, turnEncoder, {
      dedupe,
    });
    // With `dedupe` an entry may be an older one's new version: its id is that of the first.
    const origins = dedupe ? bank.glance((view) => view.origins(entries)) : entries;
    return { ids: Array.from(origins, idOf), duplicates, sequence };
  }
}

/** Those of one bank and one option together, in the order in which they came. */
function runsOf(waiting: readonly Waiting[]): Waiting[][] {
  const runs: Waiting[][] = [];
  const lastOf = new Map<BankHandle, Waiting[]>();
  for (const one of waiting) {
    const last = lastOf.get(one.bank);
    if (last !== undefined && last[0]!.dedupe === one.dedupe) {
      last.push(one);
    } else {
      const run = [one];
      lastOf.set(one.bank, run);
      runs.push(run);
    }
  }
  return runs;
}
