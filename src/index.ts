export { DentateError, ERROR_CODES, type ErrorCode, isDentateError } from "./errors.js";
