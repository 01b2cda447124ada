export type { Bank } from "./bank.js";
export { DentateError, ERROR_CODES, type ErrorCode, isDentateError } from "./errors.js";
export { Memory } from "./memory.js";
export type {
  AddManyOptions,
  ListOptions,
  MemoryOptions,
  RecallOptions,
} from "./options.js";
export { PACKERS, type PackerName } from "./pack/packers.js";
export { STRATEGIES, type StrategyName } from "./recall/strategies.js";
export { ENCODERS, type EncoderName } from "./signatures/encoder.js";
export type {
  AddResult,
  BankStats,
  Entry,
  JsonObject,
  JsonValue,
  Reasons,
  Recall,
  RecallItem,
  RecallTimings,
  Role,
  TextPart,
  Turn,
  WordMatch,
} from "./types.js";
