import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { findChromium, shoot } from "./lib/chromium.js";
import { paleTexts } from "./lib/contrast.js";
import { conversation, Looking } from "./lib/service.js";

const chromium = findChromium();
const skip = chromium === undefined && "there is no Chromium";
const QUESTION = "What dose of Carprofen does Pipa get?";
const ASKED = `/#/mara/recall?question=${encodeURIComponent(QUESTION)}`;

describe("the page at /ui", { skip }, () => {
  let looking: Looking;

  before(async () => {
    looking = await Looking.open(chromium!);
    const turns = conversation();
    await looking.memory.bank("mara").addMany(turns);
    await looking.memory.bank("mara").indexed();
    await looking.memory.bank("small").addMany(turns.slice(0, 3));
  });

  after(() => looking?.close());

  it("shows the banks, and a bank's numbers", async () => {
    await looking.visit("", async ({ page }) => {
      await page.getByRole("link", { name: "mara" }).click();
      await page.getByText("261 entries").waitFor();
      assert.equal(await page.title(), "mara · Dentate");
      await page.getByText("Ask something").waitFor();
      await shoot(page, "bank", false);
    });
  });

  it("recalls: the text with what matches marked, its cost, atoms, the map and the reasons", async () => {
    await looking.visit("/#/mara/recall", async ({ page }) => {
      await page.getByLabel("Question").fill(QUESTION);
      await page.locator(".map svg").waitFor();
      const marks = await page.locator(".prompt mark").allTextContents();
      assert.ok(marks.includes("Carprofen"), marks.join());
      const recall = await looking.memory.bank("mara").recall(QUESTION);
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
    await looking.visit(ASKED, async ({ page }) => {
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

  it("shows entries page by page, sessions, and the entries of one", async () => {
    await looking.visit("/#/mara/entries", async ({ page }) => {
      const rows = page.locator(".entries > li");
      await page.getByText("Page 1", { exact: true }).waitFor();
      await rows.nth(49).waitFor();
      assert.equal(await rows.count(), 50);
      assert.match((await rows.first().textContent()) ?? "", /Mara Lindqvist/);
      await page.getByRole("button", { name: "Newer" }).click();
      await page.getByText("Page 2", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Older" }).click();
      await page.getByText("Page 1", { exact: true }).waitFor();
      await page.getByRole("link", { name: "Sessions" }).click();
      await page.locator("tbody tr").nth(17).waitFor();
      await shoot(page, "sessions", false);
      await page.getByRole("link", { name: "s04" }).click();
      await page.getByText("Only session").waitFor();
      const { entries } = (await looking.memory.bank("mara").sessions()).find(
        ({ session }) => session === "s04",
      )!;
      await rows.nth(entries - 1).waitFor();
      assert.equal(await rows.count(), entries);
      await shoot(page, "entries", false);
      await page.goBack();
      await page.locator("table").waitFor();
    });
  });

  it("deletes an entry once that is confirmed, and a bank once its name is typed", async () => {
    await looking.memory.bank("to go").addMany(conversation().slice(0, 3));
    await looking.visit(`/#/${encodeURIComponent("to go")}/entries`, async ({ page }) => {
      const rows = page.locator(".entries > li");
      await page.getByRole("button", { name: "Delete entry e2" }).click();
      await shoot(page, "confirm", false);
      await page.keyboard.press("Escape");
      assert.equal(await rows.count(), 3);
      await page.getByRole("button", { name: "Delete entry e2" }).click();
      await page.getByRole("button", { name: "Delete the entry" }).click();
      await page.getByText("2 entries", { exact: true }).first().waitFor();
      assert.equal(await looking.memory.bank("to go").get("e2"), undefined);
      await page.getByRole("button", { name: "Delete this bank" }).click();
      const confirm = page.getByRole("button", { name: "Delete the bank" });
      assert.ok(await confirm.isDisabled());
      await page.getByLabel("Its name").fill("to go");
      await confirm.click();
      await page.getByText("Choose a bank").waitFor();
      assert.ok(!(await looking.memory.banks()).includes("to go"));
      assert.equal(await page.getByRole("link", { name: "to go" }).count(), 0);
    });
  });

  it("says what is missing, and what went wrong", async () => {
    await looking.visit("/#/nothing/recall?question=anything", async ({ page }) => {
      await page.getByText("Nothing was found").waitFor();
      await shoot(page, "empty", false);
    });
    await looking.visit(
      "/#/mara/entries",
      async ({ page }) => {
        await page.getByText("Page 1", { exact: true }).waitFor();
        await page.route("**/entries?*", (route) => route.abort());
        await page.getByRole("button", { name: "Newer" }).click();
        const alert = page.getByRole("alert");
        assert.equal(await alert.textContent(), "The service cannot be reached.");
      },
      { expected: /Failed to load resource/ },
    );
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it(`can be read in ${colorScheme} colours, on a wide and on a narrow screen`, async () => {
      for (const [width, height] of [
        [1280, 900],
        [360, 740],
      ] as const) {
        const options = { colorScheme, viewport: { width, height } };
        await looking.visit(
          ASKED,
          async ({ page }) => {
            await page.locator(".map svg").waitFor();
            assert.deepEqual(await paleTexts(page), []);
            const wide = await page.evaluate(() =>
              [...document.querySelectorAll("body *")]
                .filter((element) => element.getBoundingClientRect().right > innerWidth)
                .map(({ outerHTML }) => outerHTML.slice(0, 120)),
            );
            assert.deepEqual(wide, []);
            await shoot(page, `${colorScheme}-${width}`, false);
            await page.locator(".panel.why").scrollIntoViewIfNeeded();
            await shoot(page, `${colorScheme}-${width}-below`, false);
          },
          options,
        );
      }
    });
  }
});
