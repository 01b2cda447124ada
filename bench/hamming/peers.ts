import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HammingIndex } from "../../src/structures/index.js";
import { type Contestant, timed } from "../lib/contest.js";
import { NativePeer } from "./native-peer.js";
import { within } from "./plain-javascript.js";
import { SqliteVec } from "./sqlite-vec.js";

/** What every peer is asked. */
export interface Task {
  readonly bits: number;
  readonly radii: readonly number[];
  readonly k: number;
  readonly query: BigUint64Array;
  /** Whose answers theirs have to equal. */
  readonly index: HammingIndex;
  readonly signatures: Iterable<BigUint64Array>;
}

export interface OpenPeers {
  readonly contestants: ReadonlyMap<string, Contestant>;
  /** By contestant, its question: the name of our own measurement without the threads. */
  readonly questions: ReadonlyMap<string, string>;
  close(): void;
}

export interface Peers {
  open(task: Task): OpenPeers;
}

/** Builds and installs what is absent; a peer that cannot be had is left out, with the reason. */
export function peersAtHand(): Peers {
  const usable = (name: string, why: string | undefined) => {
    if (why !== undefined) process.stderr.write(`${name} is left out: ${why}\n`);
    return why === undefined;
  };
  const native = usable("faiss", NativePeer.build());
  const sqlite = usable("sqlite-vec", SqliteVec.install());
  return { open: (task) => open(task, native, sqlite) };
}

function open(task: Task, native: boolean, sqlite: boolean): OpenPeers {
  const { bits, radii, k, query, index } = task;
  const contestants = new Map<string, Contestant>();
  const questions = new Map<string, string>();
  const enter = (name: string, question: string, contestant: Contestant) => {
    contestants.set(`${name}, ${question}`, contestant);
    questions.set(`${name}, ${question}`, question);
  };
  const closers: (() => void)[] = [];
  const all = [...task.signatures];

  const halves = new Uint32Array(all.reduce((sum, chunk) => sum + chunk.length, 0) * 2);
  let at = 0;
  for (const chunk of all) {
    halves.set(new Uint32Array(chunk.buffer), at);
    at += chunk.length * 2;
  }
  const queryHalves = new Uint32Array(query.buffer, query.byteOffset, query.length * 2);
  for (const radius of radii) {
    const work = () => within(halves, queryHalves, radius).length;
    enter("plain JavaScript", `range r=${radius}`, timed(work));
  }

  if (native) {
    const folder = mkdtempSync(join(tmpdir(), "dentate-bench-"));
    const file = join(folder, "signatures");
    const descriptor = openSync(file, "w");
    for (const chunk of all) writeSync(descriptor, new Uint8Array(chunk.buffer));
    closeSync(descriptor);
    const peer = NativePeer.open(file, bits);
    closers.push(() => {
      peer.close();
      rmSync(folder, { recursive: true });
    });
    const hows = {
      "faiss without POPCNT": "faiss",
      "own scalar POPCNT": "scalar",
      "own SWAR": "swar",
    } as const;
    for (const [name, how] of Object.entries(hows)) {
      for (const radius of radii) {
        const found = index.within(query, radius).ids.length;
        enter(name, `range r=${radius}`, peer.search(how, "range", radius, query, found));
      }
      enter(name, `top-${k}`, peer.search(how, "top", k, query, Math.min(k, index.size)));
    }
  }
  if (sqlite) {
    const farthest = index.nearest(query, k).distances.at(-1) ?? 0;
    const table = SqliteVec.open(bits, all);
    closers.push(() => table.close());
    enter("sqlite-vec", `top-${k}`, table.nearest(query, k, farthest));
  }
  return {
    contestants,
    questions,
    close: () => {
      for (const close of closers) close();
    },
  };
}
