/** What of a request is told to telemetry: neither its path, which names a bank, nor its query. */
export interface RequestHead {
  readonly method: string;
  readonly scheme: string;
  /** The header of this name; undefined if it has none. */
  header(name: string): string | undefined;
}

/** What came of a request. */
export interface RequestOutcome {
  readonly status: number;
  /** The pattern that its path matched; undefined if it matched none. */
  readonly route: string | undefined;
  /** Names the key that it came with. */
  readonly caller: string | undefined;
}

/** A request that is being answered. */
export interface FollowedRequest {
  /** What `work` does belongs to the request. */
  run<T>(work: () => T): T;
  /** It is known what came of it; the answer may still be on its way. */
  answered(outcome: RequestOutcome): void;
  /** The answer is out, or nobody waits for it any longer. */
  end(): void;
}

/** What follows requests as parts of traces; `requestTelemetry` of `dentate/telemetry` makes one. */
export interface RequestTelemetry {
  /** A request has come in. */
  begin(head: RequestHead): FollowedRequest;
  /** What ties a line of a log to what is going on where this is called. */
  logFields(): Readonly<Record<string, string>>;
}
