export { DentateError, ERROR_CODES, type ErrorCode, isDentateError } from "./errors.js";
export type {
  AddManyOptions,
  EncoderName,
  ListOptions,
  MemoryOptions,
  RecallOptions,
} from "./options.js";
export { PACKERS, type PackerName } from "./pack/packers.js";
export { STRATEGIES, type StrategyName } from "./recall/strategies.js";
export type {
  AddResult,
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
