import { type Appended, append, type Placed } from "./append-batch.js";
import type { BankHandle } from "./bank-handle.js";
import { idOf } from "./ids.js";
import type { Store } from "./store.js";
import type { CheckedTurn } from "./turn.js";
import type { TurnList } from "./turn-encoder.js";
import type { AddResult } from "./types.js";

/** Waiting turns that are not kept waiting any longer, by number and by characters. */
const MOST_TURNS = 64;
const MOST_CHARACTERS = 64 * 1024;
/** A sync that takes less is not worth waiting for: 64 turns take that long to be appended. */
const QUICK_SYNC_MS = 1.5;
/** Runs under way where syncs are quick: one encoded, one appended, one synced. */
const RUNS_WHILE_QUICK = 3;
/** Turns of each, so that as many callers fill them as fill one that isn't kept waiting. */
const MOST_TURNS_WHILE_QUICK = Math.ceil(MOST_TURNS / RUNS_WHILE_QUICK);
/** Runs that threads of the pool encode at one time: others want a thread too. */
const MOST_ENCODING = 2;

interface Waiting extends Placed {
  readonly bank: BankHandle;
  readonly turn: CheckedTurn;
  readonly dedupe: boolean;
  readonly resolve: (result: AddResult) => void;
  readonly reject: (error: unknown) => void;
}

/** What is appended as one: turns of one bank and one option, in the order in which they came. */
interface Run {
  readonly turns: readonly Waiting[];
  state: "waits" | "is encoded" | "is ready";
  /** Undefined: it is encoded when it is appended. */
  list: TurnList | undefined;
}

/**
 * Single adds on their way to the log. Those that callers make in one turn of the event loop go
 * there as one append, which costs a third of as many by themselves, and become durable together:
 *
 *   add ─► waiting ─► when the microtasks are done: one run a bank ─► encoded by a thread of the pool
 *          ─► in their order: appended ─► log ─► synced ─► all resolve
 *
 * A run of few turns is encoded here, sooner than a thread would begin with it.
 *
 * While a slow sync is under way, what comes waits for its end: callers that it lets go then add
 * again, and share the next sync with those that came meanwhile. Otherwise parts of them would take
 * turns, each waiting for the others' syncs too. Where syncs are quick, three runs may be under way,
 * so that one is encoded and one is synced while this thread works on the third.
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
  /** Not appended yet, in the order of appending. */
  readonly #runs: Run[] = [];
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
      if (this.#waiting.length >= most || this.#characters >= MOST_CHARACTERS) this.#send();
      else this.#schedule();
    });
  }

  /** Appends all that waits, now: what a thread has not done with is encoded again. */
  flush(): void {
    this.#makeRuns();
    for (const { turns, state, list } of this.#runs.splice(0)) {
      this.#append(turns, state === "is ready" ? list : undefined);
    }
  }

  /** Appends all that waits, as soon as it is encoded. */
  #send(): void {
    this.#makeRuns();
    this.#advance();
  }

  #makeRuns(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#characters = 0;
    const { turnEncoder } = this.#store;
    for (const turns of runsOf(waiting)) {
      const areFew = turnEncoder.areFew(turns.map(({ turn }) => turn));
      this.#runs.push({ turns, state: areFew ? "is ready" : "waits", list: undefined });
    }
  }

  #advance(): void {
    while (this.#runs[0]?.state === "is ready") {
      const { turns, list } = this.#runs.shift()!;
      this.#append(turns, list);
    }
    let encoding = 0;
    for (const run of this.#runs) {
      if (run.state === "is ready") continue;
      if (++encoding > MOST_ENCODING) break;
      if (run.state === "waits") this.#encode(run);
    }
    if (this.#waiting.length > 0) this.#schedule();
  }

  #encode(run: Run): void {
    run.state = "is encoded";
    const ended = (list: TurnList | undefined) => {
      run.state = "is ready";
      run.list = list;
      this.#advance();
    };
    this.#store.turnEncoder.encodeElsewhere(run.turns.map(({ turn }) => turn)).then(
      ended,
      () => ended(undefined), // It fails here again, where it is known whose turn it is.
    );
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
    const underWay = this.#runs.length + this.#pending;
    return underWay < (this.#areSyncsQuick ? RUNS_WHILE_QUICK : 1);
  }

  /** `list`: the turns, encoded; undefined: they are still to be. */
  #append(run: readonly Waiting[], list: TurnList | undefined): void {
    let appended: Appended;
    try {
      appended = this.#appendNow(run, list);
    } catch (error) {
      if (run.length === 1) run[0]!.reject(error);
      else for (const one of run) this.#append([one], undefined);
      return;
    }
    const { entries, duplicates, sequence } = appended;
    const rejectAll = (error: unknown) => {
      for (const { reject } of run) reject(error);
    };
    let origins: Uint32Array;
    try {
      origins = originsOf(run[0]!, entries);
    } catch (error) {
      rejectAll(error); // They are stored, and must not be again.
      return;
    }
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
        for (let i = 0; i < run.length; i++) {
          const status = duplicates[i] === 1 ? "duplicate" : "added";
          run[i]!.resolve({ id: idOf(origins[i]!), status });
        }
      },
      (error: unknown) => {
        ended();
        rejectAll(error);
      },
    );
  }

  #appendNow(run: readonly Waiting[], encoded: TurnList | undefined): Appended {
    const { bank, dedupe } = run[0]!;
    const { turnEncoder } = this.#store;
    let list = encoded;
    if (list === undefined) {
      list = turnEncoder.scratch;
      list.clear();
      turnEncoder.encode(
        list,
        run.map(({ turn }) => turn),
      );
    }
    return append(bank.native, run, list, turnEncoder, { dedupe });
  }
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
