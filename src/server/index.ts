export { createApp, type ServiceApp, type ServiceOptions } from "./app.js";
export type { Caller, ServiceEnv } from "./caller.js";
export { type KeyRecord, KeyRing, makeKey } from "./keys.js";
export { type ListenOptions, listen, type Service } from "./listen.js";
export type { Patience } from "./patience.js";
export type { RateLimit } from "./rate-limit.js";
export type { Logger } from "./request-log.js";
export type {
  FollowedRequest,
  RequestHead,
  RequestOutcome,
  RequestTelemetry,
} from "./request-telemetry.js";
