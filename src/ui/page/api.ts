import type {
  BankMap,
  BankStats,
  Entry as LibraryEntry,
  RecallItem as LibraryItem,
  Recall as LibraryRecall,
  SessionSummary,
} from "../../types.js";

/** What the service answers, asked with the key that was given; every call of the page goes through here. */

/** As JSON has it: dates are texts. */
type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer E)[]
    ? number extends T["length"]
      ? readonly Wire<E>[]
      : T
    : T extends object
      ? { readonly [K in keyof T]: Wire<T[K]> }
      : T;

export type Entry = Omit<Wire<LibraryEntry>, "metadata"> & {
  readonly metadata: Readonly<Record<string, unknown>>;
};
export type RecallItem = Entry & Pick<LibraryItem, "score" | "reasons" | "highlights" | "pieces">;
export type Recall = Omit<LibraryRecall, "items"> & { readonly items: readonly RecallItem[] };
export type Session = Wire<SessionSummary>;
export type { BankMap, BankStats };

export interface About {
  readonly version: string;
  readonly readOnly: boolean;
  readonly strategies: readonly string[];
  readonly packers: readonly string[];
  readonly budget: number;
}

export interface Asked {
  readonly question: string;
  readonly budget: number;
  readonly strategy: string;
  readonly packer: string;
  readonly session?: string | undefined;
}

/** A refusal, or no answer at all. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";

  constructor(
    /** 0: nobody answered. */
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const KEY = "dentate-key";

/** For as long as the tab is open, so that a reload doesn't ask for it again. */
export const key = {
  get: (): string | undefined => sessionStorage.getItem(KEY) ?? undefined,
  set: (value: string): void => sessionStorage.setItem(KEY, value),
  forget: (): void => sessionStorage.removeItem(KEY),
};

export const about = () => ask<About>("GET", "about");
export const banks = async () => (await ask<{ banks: string[] }>("GET", "banks")).banks;
export const stats = (bank: string) => ask<BankStats>("GET", at(bank));
export const dropBank = (bank: string) => ask<{ dropped: boolean }>("DELETE", at(bank));
export const sessions = (bank: string) =>
  ask<{ sessions: Session[]; total: number }>("GET", at(bank, "sessions"));
export const deleteEntry = (bank: string, id: string) =>
  ask<{ deleted: number }>("DELETE", at(bank, "entries", id));
export const history = async (bank: string, id: string) =>
  (await ask<{ versions: Entry[] }>("GET", at(bank, "entries", id, "history"))).versions;

export function entries(
  bank: string,
  {
    after,
    limit,
    session,
  }: { after?: string | undefined; limit: number; session?: string | undefined },
) {
  const query = new URLSearchParams({ limit: String(limit) });
  if (after !== undefined) query.set("after", after);
  if (session !== undefined) query.set("filter", JSON.stringify({ session }));
  return ask<{ entries: Entry[]; next?: string }>("GET", `${at(bank, "entries")}?${query}`);
}

export function recall(bank: string, { session, ...asked }: Asked, signal: AbortSignal) {
  const filter = session === undefined ? {} : { filter: { session } };
  return ask<Recall>("POST", at(bank, "recall"), { ...asked, ...filter, explain: true }, signal);
}

export function map(bank: string, question: string, ids: readonly string[], signal: AbortSignal) {
  return ask<BankMap>("POST", at(bank, "map"), { question, ids }, signal);
}

/** @throws {@link ServiceError}: browsers take `.` and `..` out of a path, however they are encoded. */
function at(bank: string, ...path: string[]): string {
  if (bank === "." || bank === "..")
    throw new ServiceError(0, `no URL can name the bank "${bank}"`);
  return ["banks", bank, ...path].map(encodeURIComponent).join("/");
}

async function ask<T>(
  method: string,
  path: string,
  body?: unknown,
  signal: AbortSignal | null = null,
): Promise<T> {
  const secret = key.get();
  const answer = await fetch(`../v1/${path}`, {
    method,
    signal,
    headers: {
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(secret !== undefined && { Authorization: `Bearer ${secret}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ServiceError(0, "the service cannot be reached");
  });
  if (answer.ok) return (await answer.json()) as T;
  const problem = (await answer.json().catch(() => undefined)) as
    | { error?: { message?: string } }
    | undefined;
  throw new ServiceError(answer.status, problem?.error?.message ?? `status ${answer.status}`);
}
