/** Who asks, and what it may touch: what authentication finds out about a request. */
export interface Caller {
  /** Names the key, never the secret: for logs, limits and metrics. */
  readonly id: string;
  /** Whether it may use this bank, read and write alike. */
  mayUse(bank: string): boolean;
  /** Whether it may run what concerns the whole store. */
  readonly isAdmin: boolean;
}

/** The caller of a service that has no keys, and so listens to this machine alone. */
export const ANYBODY: Caller = { id: "anybody", mayUse: () => true, isAdmin: true };

/** What middleware leaves for routes. */
export interface ServiceEnv {
  Variables: { caller: Caller };
}
