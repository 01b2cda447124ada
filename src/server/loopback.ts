import type { HonoRequest } from "hono";
import { Problem } from "./problem.js";

/** Whether a host is this machine itself. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || /^(?:::1|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(host);
}

/**
 * A service without keys trusts this machine's programs. A browser is one of them, and works for
 * strangers: a page may send requests to other sites, whose `Origin` says so, or have its own name lead
 * here, which `Host` says.
 *
 * @throws {@link Problem} 403.
 */
export function expectLocal(request: HonoRequest): void {
  const origin = request.header("origin");
  const asked = new URL(request.url).hostname;
  const from = origin === undefined ? asked : hostOf(origin);
  // A page's request for a picture or a script has no `Origin`, and this instead.
  const isForeign = request.header("sec-fetch-site") === "cross-site";
  if (isForeign || from === undefined || !isLoopback(asked) || !isLoopback(from)) {
    throw new Problem(403, "FORBIDDEN", "without keys, the service is for this machine alone");
  }
}

/**
 * With keys a service may have any name, so that pages are told apart by theirs alone: one of another
 * site has no business here, even with a key.
 *
 * @throws {@link Problem} 403.
 */
export function expectSameOrigin(request: HonoRequest): void {
  const origin = request.header("origin");
  if (origin === undefined || hostOf(origin) === new URL(request.url).hostname) return;
  throw new Problem(403, "FORBIDDEN", "pages of other sites may not ask");
}

/** Undefined for `null`, which pages without a name have, and for what is no URL. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).hostname : undefined;
}
