export { instrument } from "./instrument.js";
export type { TelemetryOptions } from "./recorder.js";
export { requestTelemetry } from "./requests.js";
