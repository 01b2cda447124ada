import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/**
 * A real browser, headless. `DENTATE_CHROMIUM` names its program, else it is looked for in the PATH; the tests
 * skip themselves where there is none. Screenshots go to build/ui: they are for people to look at, no test
 * compares them.
 */

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const SHOTS = fileURLToPath(new URL("../../../../ui/", import.meta.url));

export function findChromium(): string | undefined {
  const given = process.env["DENTATE_CHROMIUM"];
  if (given !== undefined) return given;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    timeout: PATIENCE_MS,
    // Its sandbox is not there for root, as which containers run; the pages are our own.
    args: process.getuid?.() === 0 ? ["--no-sandbox", "--disable-dev-shm-usage"] : [],
  });
}

/** For one step on a busy machine, in milliseconds. */
const PATIENCE_MS = 300_000;

/** A page, and all that it did that it should not have. */
export interface Watched {
  readonly page: Page;
  /** Requests to other origins. */
  readonly strays: readonly string[];
  /** What the policy kept from happening, what was thrown, dialogs of scripts, errors that were logged. */
  readonly faults: readonly string[];
}

/** Opens a tab of its own, with storage of its own. */
export async function openTab(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext(options);
  const strays: string[] = [];
  const faults: string[] = [];
  await context.exposeFunction("reportViolation", (what: string) => faults.push(`policy: ${what}`));
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
      const { reportViolation } = globalThis as unknown as {
        reportViolation: (what: string) => void;
      };
      reportViolation(`${violatedDirective} ${blockedURI}`);
    });
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) strays.push(request.url());
  });
  page.on("pageerror", (error) => faults.push(`thrown: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`logged: ${message.text()}`);
  });
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  return { page, strays, faults };
}

/** Keeps a picture of the page. */
export async function shoot(page: Page, name: string, fullPage = true): Promise<void> {
  await mkdir(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage, animations: "disabled" });
}
