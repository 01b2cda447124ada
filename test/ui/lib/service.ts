import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { Memory, type Turn } from "../../../src/index.js";
import { examplePath } from "../../../src/package.js";
import { listen, type Service, type ServiceOptions } from "../../../src/server/index.js";
import { launch, openTab, type Watched } from "./chromium.js";

/** The bundled year of conversation. */
export function conversation(): Turn[] {
  const lines = readFileSync(examplePath("conversation.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Turn);
}

/** A service over a memory of its own, and a browser to look at it with. */
export class Looking {
  private constructor(
    readonly browser: Browser,
    readonly memory: Memory,
    readonly service: Service,
  ) {}

  static async open(
    chromium: string,
    options: Omit<ServiceOptions, "memory"> = {},
  ): Promise<Looking> {
    const memory = await Memory.open({ inMemory: true });
    const service = await listen({ memory, ...options });
    return new Looking(await launch(chromium), memory, service);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.service.close();
    await this.memory.close();
  }

  /**
   * Opens a tab at a place; in the end it must have done nothing that it should not, but for faults that
   * are `expected`.
   */
  async visit(
    place: string,
    look: (tab: Watched) => Promise<void>,
    { expected, ...options }: BrowserContextOptions & { expected?: RegExp } = {},
  ): Promise<void> {
    const tab = await openTab(this.browser, this.service.url, options);
    try {
      await tab.page.goto(`${this.service.url}/ui${place}`);
      await look(tab);
      assert.deepEqual(tab.strays, []);
      assert.deepEqual(
        tab.faults.filter((fault) => expected?.test(fault) !== true),
        [],
      );
    } finally {
      await tab.page.context().close();
    }
  }
}
