import { readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Env, Hono } from "hono";
import { assetPath } from "../package.js";

/**
 * The files of the page to look with, at `/ui/`: HTML, CSS and a drawing from `assets/ui`, and the modules
 * of `page/`, as the compiler leaves them. They hold no data and need no key; what the page shows it asks
 * of `/v1`, with the key that it is given.
 *
 * A name in a request is looked up among the names that there are, and never made into a path.
 */

/**
 * Nothing from anywhere else, no script or style in the HTML, and no text that becomes either: what a
 * memory holds can be shown, and do nothing.
 */
const HEADERS = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "Cache-Control": "no-cache",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
} as const;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Reads them when they are first asked for. */
export function addPage<E extends Env>(app: Hono<E>): void {
  let files: ReadonlyMap<string, Uint8Array<ArrayBuffer>> | undefined;
  // Relative, for a proxy that has the service below a path of its own.
  app.get("/ui", (context) => context.body(null, 308, { Location: "ui/" }));
  app.on("GET", ["/ui/", "/ui/:name"], (context) => {
    files ??= readFiles();
    const name = context.req.param("name") ?? "index.html";
    const bytes = files.get(name);
    if (bytes === undefined) return context.notFound();
    return context.body(bytes, 200, { ...HEADERS, "Content-Type": TYPES[extname(name)]! });
  });
}

function readFiles(): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
  const folders = [
    dirname(assetPath("ui/index.html")),
    fileURLToPath(new URL("page/", import.meta.url)),
  ];
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const folder of folders) {
    for (const name of readdirSync(folder)) {
      if (TYPES[extname(name)] !== undefined) {
        files.set(name, new Uint8Array(readFileSync(join(folder, name))));
      }
    }
  }
  return files;
}
