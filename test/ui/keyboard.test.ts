import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { findChromium, shoot } from "./lib/chromium.js";
import { conversation, Looking } from "./lib/service.js";

const chromium = findChromium();
const skip = chromium === undefined && "there is no Chromium";
const MOST_STEPS = 60;

/** What has the focus: by its name for those who don't see it, and whether those who do see that it has it. */
function focused(page: Page) {
  return page.evaluate(() => {
    const element = document.activeElement!;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const labels = (element as HTMLInputElement).labels;
    const name =
      element.getAttribute("aria-label") ?? labels?.[0]?.textContent ?? element.textContent ?? "";
    return {
      name: name.trim(),
      tag: element.tagName.toLowerCase(),
      isShown: outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2,
    };
  });
}

/** Presses Tab until what is meant has the focus; every stop on the way must have a name and be seen. */
async function tabTo(page: Page, name: string | RegExp, key = "Tab"): Promise<void> {
  const passed: string[] = [];
  for (let step = 0; step < MOST_STEPS; step++) {
    await page.keyboard.press(key);
    const now = await focused(page);
    if (now.tag === "body") continue;
    assert.ok(now.isShown, `${now.tag} "${now.name}" does not show that it has the focus`);
    assert.notEqual(now.name, "", `${now.tag} has no name`);
    if (typeof name === "string" ? now.name === name : name.test(now.name)) return;
    passed.push(now.name);
  }
  assert.fail(`no way to ${name} by Tab; passed ${passed.join(", ")}`);
}

describe("the page by keyboard alone", { skip }, () => {
  let looking: Looking;

  before(async () => {
    looking = await Looking.open(chromium!);
    await looking.memory.bank("mara").addMany(conversation());
    await looking.memory.bank("mara").indexed();
  });

  after(() => looking?.close());

  it("can be gone through: a bank, a question, the budget, an atom, a deletion", async () => {
    await looking.visit("", async ({ page }) => {
      const { keyboard } = page;
      await page.getByText("Choose a bank").waitFor();
      await tabTo(page, "Skip to the content");
      await shoot(page, "keyboard-skip", false);
      await tabTo(page, "mara");
      await keyboard.press("Enter");
      await page.waitForFunction(() => document.activeElement?.id === "main");
      await page.getByText("Ask something").waitFor();
      await tabTo(page, "Question");
      await keyboard.type("Who is Ingrid?");
      await keyboard.press("Enter");
      await page.locator(".map svg").waitFor();
      await page.locator('.result:not([aria-busy="true"])').waitFor();
      await tabTo(page, "Budget");
      await keyboard.press("Home");
      await page.locator('.spent-bar .bar[aria-label$="of 50 tokens"]').waitFor();
      await keyboard.press("ArrowRight");
      await keyboard.press("ArrowRight");
      await keyboard.press("ArrowRight");
      await page.locator('.spent-bar .bar[aria-label$="of 150 tokens"]').waitFor();
      await page.locator('.result:not([aria-busy="true"])').waitFor();
      await tabTo(page, "Strategy");
      await tabTo(page, "Text for the prompt");
      await shoot(page, "keyboard-prompt", false);
      await tabTo(page, /^atom \d/);
      await keyboard.press("Space");
      assert.ok((await page.locator('.atoms-list button[aria-pressed="true"]').count()) === 1);
      const first = await page.locator(".items code").first().textContent();
      await tabTo(page, `Delete entry ${first}`);
      await keyboard.press("Enter");
      assert.equal((await focused(page)).name, "Cancel");
      // The dialog keeps the focus inside.
      await keyboard.press("Tab");
      assert.equal((await focused(page)).name, "Delete the entry");
      await shoot(page, "keyboard-dialog", false);
      await keyboard.press("Enter");
      await page.getByText("260 entries").waitFor();
      assert.equal(await looking.memory.bank("mara").get(first!), undefined);
      await page.locator('.result:not([aria-busy="true"])').waitFor();
      await page.waitForFunction(() => document.activeElement?.id === "panel-why");
      await tabTo(page, "Sessions", "Shift+Tab");
      await keyboard.press("Enter");
      // A page that was gone to takes the focus; a key that comes sooner goes to the one before.
      await page.waitForFunction(() => document.activeElement?.id === "main");
      await page.getByLabel("Table of sessions").waitFor();
      await tabTo(page, "Table of sessions");
      await tabTo(page, "s18");
      await keyboard.press("Enter");
      await page.getByText("Only session").waitFor();
    });
  });
});
