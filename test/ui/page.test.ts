import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { Memory, type Turn } from "../../src/index.js";
import { examplePath } from "../../src/package.js";
import { listen, type Service } from "../../src/server/index.js";
import { findChromium, launch, openTab, shoot, type Watched } from "./lib/chromium.js";

const chromium = findChromium();
const skip = chromium === undefined && "there is no Chromium";
const QUESTION = "What dose of Carprofen does Pipa get?";

const conversation = readFileSync(examplePath("conversation.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Turn);

describe("the page at /ui", { skip }, () => {
  let browser: Browser;
  let memory: Memory;
  let service: Service;

  before(async () => {
    browser = await launch(chromium!);
    memory = await Memory.open({ inMemory: true });
    service = await listen({ memory });
    await memory.bank("mara").addMany(conversation);
    await memory.bank("mara").indexed();
    await memory.bank("small").addMany(conversation.slice(0, 2));
  });

  after(async () => {
    await browser?.close();
    await service?.close();
    await memory?.close();
  });

  /** A tab of its own, at a place; in the end it must have done nothing that it should not. */
  async function visit(
    place: string,
    look: (tab: Watched) => Promise<void>,
    options?: Parameters<typeof openTab>[2],
  ): Promise<void> {
    const tab = await openTab(browser, service.url, options);
    try {
      await tab.page.goto(`${service.url}/ui${place}`);
      await look(tab);
      assert.deepEqual(tab.strays, []);
      assert.deepEqual(tab.faults, []);
    } finally {
      await tab.page.context().close();
    }
  }

  it("shows the banks, and a bank's numbers", async () => {
    await visit("", async ({ page }) => {
      await page.getByRole("link", { name: "mara" }).click();
      await page.getByText("261 entries").waitFor();
      assert.equal(await page.title(), "mara · Dentate");
      await page.getByText("Ask something").waitFor();
      await shoot(page, "bank", false);
    });
  });

  it("recalls: the text with what matches marked, its cost, atoms, the map and the reasons", async () => {
    await visit("/#/mara/recall", async ({ page }) => {
      await page.getByLabel("Question").fill(QUESTION);
      await page.locator(".map svg").waitFor();
      const marks = await page.locator(".prompt mark").allTextContents();
      assert.ok(marks.includes("Carprofen"), marks.join());
      const recall = await memory.bank("mara").recall(QUESTION);
      assert.equal(await page.locator(".prompt").textContent(), recall.text);
      assert.equal(await page.locator(".prompt .piece").count(), recall.items.length);
      const spent = await page.locator(".spent-bar .bar").getAttribute("aria-label");
      assert.equal(spent, `${recall.tokens.toLocaleString("en")} of 2,000 tokens`);
      await page.locator(".timings").getByText("rank").waitFor();
      const first = page.locator(".items > li").first();
      assert.match((await first.textContent()) ?? "", /Carprofen/);
      assert.ok((await first.locator(".chips li").count()) > 0);
      // A group that is chosen stays bright; the others fade, in the text and on the map.
      const group = page.locator(".atoms-list button").first();
      await group.click();
      assert.equal(await group.getAttribute("aria-pressed"), "true");
      assert.ok((await page.locator(".prompt .piece.faded").count()) > 0);
      assert.ok((await page.locator(".map circle.faded").count()) > 0);
      await group.click();
      assert.equal(await page.locator(".faded").count(), 0);
      await shoot(page, "recall");
    });
  });

  it("asks again as the budget is moved, and never shows more than it allows", async () => {
    await visit(`/#/mara/recall?question=${encodeURIComponent(QUESTION)}`, async ({ page }) => {
      const spent = page.locator(".spent-bar .bar");
      await spent.waitFor();
      await page.getByLabel("Budget").first().focus();
      for (const [key, budget] of [
        ["Home", "50"],
        ["ArrowRight", "75"],
        ["ArrowRight", "100"],
      ] as const) {
        await page.keyboard.press(key);
        await page.locator(`.spent-bar .bar[aria-label$="of ${budget} tokens"]`).waitFor();
        const shown = Number((await page.locator(".spent-bar strong").textContent())!);
        assert.ok(shown <= Number(budget), `${shown} of ${budget}`);
      }
      await page.locator("#budget").fill("0");
      await page.getByText("An empty text").waitFor();
      assert.match(page.url(), /budget=0/);
    });
  });
});
