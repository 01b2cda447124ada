/**
 * The names that spans and metrics carry. Those that begin with `gen_ai.` are OpenTelemetry's conventions
 * for generative AI (the memory spans, status "development"), `http.`, `url.` and `error.` its stable ones;
 * what they have no word for begins with `dentate.`. docs/observability.md lists all of them.
 */

/** The instrumentation scope of all that is reported. */
export const SCOPE = "dentate";

export const OPERATION_NAME = "gen_ai.operation.name";
/** The bank. */
export const STORE_ID = "gen_ai.memory.store.id";
export const RECORD_ID = "gen_ai.memory.record.id";
/** Of a search, those returned; of a change, those it is about. */
export const RECORD_COUNT = "gen_ai.memory.record.count";
/** Content: with the option only. */
export const QUERY_TEXT = "gen_ai.memory.query.text";
export const RECORDS = "gen_ai.memory.records";

export const ERROR_TYPE = "error.type";
export const REQUEST_METHOD = "http.request.method";
export const ROUTE = "http.route";
export const STATUS_CODE = "http.response.status_code";
export const SCHEME = "url.scheme";

/** The method that was called, since several are one operation of the conventions. */
export const METHOD = "dentate.method";
/** Of a method that may find what it is about or not: how many it found. */
export const AFFECTED = "dentate.records.affected";
/** Of an add: those whose like the bank already held. */
export const DUPLICATES = "dentate.records.duplicate";
export const BUDGET = "dentate.recall.budget";
export const TOKENS = "dentate.recall.tokens";
export const SKIPPED = "dentate.recall.skipped";
export const STRATEGY = "dentate.recall.strategy";
export const PACKER = "dentate.recall.packer";
export const STAGE = "dentate.recall.stage";
/** What of the ranking ran elsewhere than in the engine: `operation:accelerator` each, and seconds. */
export const ACCELERATED = "dentate.recall.accelerated";
export const ACCELERATED_SECONDS = "dentate.recall.accelerated.duration";
/** Names the key that a request came with. */
export const CALLER = "dentate.caller";

export const OPERATION_DURATION = "gen_ai.client.operation.duration";
export const REQUEST_DURATION = "http.server.request.duration";
export const MAINTENANCE_DURATION = "dentate.maintenance.duration";
export const STAGE_DURATION = "dentate.recall.stage.duration";
export const RECORDS_TOTAL = "dentate.records";
export const RECALL_TOKENS = "dentate.recall.tokens";

/**
 * Seconds. From 10 ms on the boundaries that the conventions give, so that dashboards made for those read these
 * too; below, where nearly all calls of an embedded engine are, some more.
 */
export const SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28,
  2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
/** Seconds, as the conventions of HTTP have them. */
export const HTTP_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
/** Tokens, as the conventions have them. */
export const TOKEN_COUNTS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576];
