/**
 * Whose a memory is, in mem0's words: a user, an agent, an app and a run, of which at least one is
 * named. Each combination of user, agent and app is a bank of its own, so that what is searched is a
 * partition and never a filter that could be forgotten; a run is a session within it, or, where nothing else is
 * named, a bank as well.
 *
 * A bank's name is a prefix, of the key's that uses it, and the combination as a query string:
 * `tenant-a/mem0?user_id=ana&agent_id=planner`.
 */
export interface Scope {
  readonly user_id?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly app_id?: string | undefined;
  readonly run_id?: string | undefined;
}

export const SCOPE_KEYS = ["user_id", "agent_id", "app_id", "run_id"] as const;
export type ScopeKey = (typeof SCOPE_KEYS)[number];
const PARTITION_KEYS = ["user_id", "agent_id", "app_id"] as const;

/** Between the prefix and the combination. */
export const MARK = "mem0?";

/** The name of the bank that a combination's memories are in; undefined where it names nobody. */
export function bankNameOf(prefix: string, scope: Scope): string | undefined {
  const named = PARTITION_KEYS.some((key) => scope[key] !== undefined);
  const keys: readonly ScopeKey[] = named ? PARTITION_KEYS : ["run_id"];
  const query = new URLSearchParams();
  for (const key of keys) if (scope[key] !== undefined) query.set(key, scope[key]);
  return query.size === 0 ? undefined : `${prefix}${MARK}${query}`;
}

/** The session of memories that no run is named for: the engine's own default. */
export const NO_RUN = "default";

/** The session that a run is: its name, but for a run that is called as what is no run, which has a mark in front. */
export function sessionOfRun(run: string): string {
  return LIKE_NO_RUN.test(run) ? `~${run}` : run;
}

/** The run that a session is; undefined for the one of memories without a run. */
export function runOfSession(session: string): string | undefined {
  if (session === NO_RUN) return undefined;
  return LIKE_NO_RUN.test(session) ? session.slice(1) : session;
}

const LIKE_NO_RUN = /^~*default$/;
