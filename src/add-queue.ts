import { type Appended, append, appendElsewhere, type Placed } from "./append-batch.js";
import type { BankHandle } from "./bank-handle.js";
import { idOf } from "./ids.js";
import { Fifo } from "./internal/fifo.js";
import type { Store } from "./store.js";
import type { CheckedTurn } from "./turn.js";
import type { AddResult } from "./types.js";

/** Waiting turns that are not kept waiting any longer, by number and by characters. */
const MOST_TURNS = 64;
const MOST_CHARACTERS = 64 * 1024;
/** A sync that takes less is not worth waiting for: 64 turns take that long to be appended. */
const QUICK_SYNC_MS = 1.5;
/** Runs under way where syncs are quick: one is encoded, one appended, one synced, one told of. */
const RUNS_WHILE_QUICK = 4;
/** Turns of each, so that as many callers fill them as fill one that isn't kept waiting. */
const MOST_TURNS_WHILE_QUICK = Math.ceil(MOST_TURNS / RUNS_WHILE_QUICK);
/** What is appended here sooner than a thread that sleeps would begin with it. */
const FEW_TURNS = 4;
const FEW_CHARACTERS = 1024;

interface Waiting extends Placed {
  readonly bank: BankHandle;
  readonly turn: CheckedTurn;
  readonly dedupe: boolean;
  readonly resolve: (result: AddResult) => void;
  readonly reject: (error: unknown) => void;
}

/** What is appended as one: turns of one bank and one option, in the order in which they came. */
type Run = readonly Waiting[];

/**
 * Single adds on their way to the log. Those that callers make in one turn of the event loop go
 * there as one append, which costs a third of as many by themselves, and become durable together:
 *
 *   add ─► waiting ─► when the microtasks are done: one run a bank ─► a thread of the store's, where
 *          they are encoded and appended in their order ─► log ─► synced ─► all resolve
 *
 * A run of few turns is appended here where that thread has nothing to do, sooner than it would begin.
 *
 * While a slow sync is under way, what comes waits for its end: callers that it lets go then add
 * again, and share the next sync with those that came meanwhile. Otherwise parts of them would take
 * turns, each waiting for the others' syncs too. Where syncs are quick, four runs may be under way,
 * so that no thread is without one.
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
  /** Given to the thread, in the order of appending. */
  readonly #sent = new Fifo<Run>();
  /** Appended here, and not durable yet. */
  #pending = 0;
  /** How long appended turns take to become durable, not counting what this thread was late to see. */
  #syncMs = 0;
  readonly #answers = new Uint32Array(2 * MOST_TURNS + 1);
  readonly #onReached = () => this.#settle();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Resolves when the turn is as durable as the memory was opened for. */
  add(bank: BankHandle, turn: CheckedTurn, dedupe: boolean): Promise<AddResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bank, turn, dedupe, ingested: Date.now(), resolve, reject });
      this.#characters += turn.content.length;
      const most = this.#areSyncsQuick ? MOST_TURNS_WHILE_QUICK : MOST_TURNS;
      if (this.#waiting.length >= most || this.#characters >= MOST_CHARACTERS) this.#send();
      else this.#schedule();
    });
  }

  /** Appends all that waits, now. */
  flush(): void {
    this.#send();
    if (this.#sent.length > 0) this.#store.native.drainAppends();
  }

  #send(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#characters = 0;
    for (const run of runsOf(waiting)) {
      if (this.#sent.length === 0 && areFew(run)) this.#append(run);
      else this.#appendElsewhere(run);
    }
  }

  /** When all has run that is about to run: callers that resume together add together. */
  #schedule(): void {
    if (this.#isScheduled || !this.#mayAppend()) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      if (this.#mayAppend()) this.#send();
    });
  }

  get #areSyncsQuick(): boolean {
    return this.#syncMs < QUICK_SYNC_MS;
  }

  #mayAppend(): boolean {
    const underWay = this.#sent.length + this.#pending;
    return underWay < (this.#areSyncsQuick ? RUNS_WHILE_QUICK : 1);
  }

  #appendElsewhere(run: Run): void {
    const { bank, dedupe } = run[0]!;
    const { turnEncoder, waits } = this.#store;
    try {
      appendElsewhere(bank.native, run, turnEncoder, { dedupe });
    } catch (error) {
      rejectAll(run, error);
      return;
    }
    this.#sent.push(run);
    waits.onReached = this.#onReached;
    waits.enter();
  }

  /** Resolves those of {@link #sent} that are durable, and rejects those that never will be. */
  #settle(): void {
    const { waits } = this.#store;
    for (let run = this.#sent.first; run !== undefined; run = this.#sent.first) {
      if (!this.#settleFirst(run)) break;
      this.#sent.shift();
      waits.leave();
    }
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** Whether it is known what became of the first run. */
  #settleFirst(run: Run): boolean {
    const { native, waits } = this.#store;
    const answers = this.#answers;
    try {
      const outcome = native.takeAppended(answers, waits.broken !== undefined);
      if (outcome === undefined) return false;
      this.#countSync(answers[2 * run.length]! / 1000);
      const origins = originsOf(run[0]!, answers.subarray(0, run.length));
      const failures = typeof outcome === "number" ? undefined : outcome;
      // How far one that failed in part is durable is not known.
      const isDurable = typeof outcome === "number" && waits.isReached(outcome);
      const broken = isDurable ? undefined : waits.broken;
      for (let i = 0; i < run.length; i++) {
        const error = failures?.[i] ?? broken;
        if (error !== undefined) run[i]!.reject(error);
        else run[i]!.resolve(resultOf(origins[i]!, answers[run.length + i]!));
      }
    } catch (error) {
      rejectAll(run, error);
    }
    return true;
  }

  #append(run: Run): void {
    let appended: Appended;
    try {
      appended = this.#appendNow(run);
    } catch (error) {
      if (run.length === 1) run[0]!.reject(error);
      else for (const one of run) this.#append([one]);
      return;
    }
    const { entries, duplicates, sequence } = appended;
    let origins: Uint32Array;
    try {
      origins = originsOf(run[0]!, entries);
    } catch (error) {
      rejectAll(run, error); // They are stored, and must not be again.
      return;
    }
    const began = performance.now();
    const ended = () => {
      this.#pending--;
      this.#countSync(performance.now() - began);
      if (this.#waiting.length > 0) this.#schedule();
    };
    this.#pending++;
    this.#store.waits.until(sequence).then(
      () => {
        ended();
        for (let i = 0; i < run.length; i++) {
          run[i]!.resolve(resultOf(origins[i]!, duplicates[i]!));
        }
      },
      (error: unknown) => {
        ended();
        rejectAll(run, error);
      },
    );
  }

  /** Soon less, and slowly more: one that took long may have been seen late. */
  #countSync(ms: number): void {
    this.#syncMs = Math.min(ms, 1.25 * this.#syncMs + 0.05);
  }

  #appendNow(run: Run): Appended {
    const { bank, dedupe } = run[0]!;
    const { turnEncoder } = this.#store;
    const list = turnEncoder.scratch;
    list.clear();
    turnEncoder.encode(
      list,
      run.map(({ turn }) => turn),
    );
    return append(bank.native, run, list, turnEncoder, { dedupe });
  }
}

function areFew(run: Run): boolean {
  if (run.length > FEW_TURNS) return false;
  return run.reduce((sum, { turn }) => sum + turn.content.length, 0) <= FEW_CHARACTERS;
}

function resultOf(origin: number, isDuplicate: number): AddResult {
  return { id: idOf(origin), status: isDuplicate === 1 ? "duplicate" : "added" };
}

function rejectAll(run: Run, error: unknown): void {
  for (const { reject } of run) reject(error);
}

/** With `dedupe` an entry may be an older one's new version: its id is that of the first. */
function originsOf({ bank, dedupe }: Waiting, entries: Uint32Array): Uint32Array {
  return dedupe ? bank.glance((view) => view.origins(entries)) : entries;
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
