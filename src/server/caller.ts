/** Who asks, and what it may touch: what authentication finds out about a request. */
export interface Caller {
  /** Names the key, never the secret: for logs, limits and metrics. */
  readonly id: string;
  /** Whether it may use this bank, read and write alike. */
  mayUse(bank: string): boolean;
  /** How names that it may make up begin; undefined where it may use certain banks alone. */
  readonly prefix: string | undefined;
  /** The bank that it means where it names none; undefined where it may use several. */
  readonly ownBank: string | undefined;
  /** Whether it may run what concerns the whole store. */
  readonly isAdmin: boolean;
  /** Whether it may see what all callers together do. */
  readonly mayWatch: boolean;
}

/** The caller of a service that has no keys, and so listens to this machine alone. */
export const ANYBODY: Caller = {
  id: "anybody",
  mayUse: () => true,
  prefix: "",
  ownBank: "default",
  isAdmin: true,
  mayWatch: true,
};

/** What middleware leaves for routes. */
export interface ServiceEnv {
  Variables: { caller: Caller };
}
