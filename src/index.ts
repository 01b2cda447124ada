export type { IndexProgress } from "./atoms/indexer.js";
export { RETRIEVAL_RULES, type RetrievalRule } from "./atoms/retrieval.js";
export type { Bank } from "./bank.js";
export {
  EMBEDDERS,
  type Embedder,
  type EmbedderName,
  type EmbedKind,
  type EmbedOptions,
} from "./embed/embedder.js";
export { DentateError, ERROR_CODES, type ErrorCode, isDentateError } from "./errors.js";
export type {
  FieldCondition,
  Filter,
  FilterValue,
  TimeCondition,
} from "./filter.js";
export { Memory } from "./memory.js";
export {
  DURABILITIES,
  type Durability,
  type EncoderChoiceOptions,
  type MemoryOptions,
} from "./memory-options.js";
export type {
  AddManyOptions,
  AddOptions,
  IndexedOptions,
  KeepsRecalled,
  ListOptions,
  LongOptions,
  MapOptions,
  ReindexOptions,
  VerifyOptions,
} from "./options.js";
export { PACKERS, type PackerName } from "./pack/packers.js";
export { stripRecalled } from "./pack/strip-recalled.js";
export type { Forgetting, RecallOptions } from "./recall/options.js";
export { STRATEGIES, type StrategyName } from "./recall/strategies.js";
export { ENCODERS, type EncoderName } from "./signatures/encoder.js";
export type { ExportOptions, TransferProgress } from "./transfer/export.js";
export type { ImportOptions, ImportResult } from "./transfer/import.js";
export type {
  AcceleratorTiming,
  AddResult,
  BankMap,
  BankStats,
  Damage,
  Entry,
  JsonObject,
  JsonValue,
  MapChunk,
  PurgeReceipt,
  Reasons,
  Recall,
  RecalledAtom,
  RecalledOnly,
  RecallItem,
  RecallTimings,
  Role,
  SessionSummary,
  StorageStats,
  TextPart,
  Turn,
  TurnPatch,
  WordMatch,
} from "./types.js";
