import { createMiddleware } from "hono/factory";
import { ANYBODY, type Caller, type ServiceEnv } from "./caller.js";
import type { KeyRing } from "./keys.js";
import { expectLocal } from "./loopback.js";
import { Problem } from "./problem.js";

const SCHEME = /^(?:Bearer|Token) +(\S+)$/i;

/** Finds out who asks. Without keys, it is {@link ANYBODY}. */
export function authenticate(keys: KeyRing | undefined) {
  return createMiddleware<ServiceEnv>(async (context, next) => {
    let caller: Caller | undefined = ANYBODY;
    if (keys === undefined) expectLocal(context.req);
    else {
      const key =
        SCHEME.exec(context.req.header("authorization") ?? "")?.[1] ??
        context.req.header("x-api-key");
      caller = key === undefined ? undefined : keys.callerOf(key);
    }
    if (caller === undefined) {
      throw new Problem(401, "UNAUTHORIZED", "a valid API key is needed", {
        "WWW-Authenticate": "Bearer",
      });
    }
    context.set("caller", caller);
    await next();
  });
}

/** @throws {@link Problem} 403, where the caller may not use the bank. Whether the bank is there plays no part. */
export function expectBank(caller: Caller, bank: string): void {
  if (!caller.mayUse(bank)) throw new Problem(403, "FORBIDDEN", "the key may not use this bank");
}

/** @throws {@link Problem} 403. */
export function expectAdmin(caller: Caller): void {
  if (!caller.isAdmin) throw new Problem(403, "FORBIDDEN", "the key is not an administrator's");
}

/** @throws {@link Problem} 403: how much all callers store and ask is no business of each of them. */
export function expectWatcher(caller: Caller): void {
  if (!caller.mayWatch) throw new Problem(403, "FORBIDDEN", "the key may not read metrics");
}
