import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { findChromium, shoot } from "./lib/chromium.js";
import { Looking } from "./lib/service.js";

const chromium = findChromium();
const skip = chromium === undefined && "there is no Chromium";

/** Markup, scripts, ends of things, and what turns a line round. */
const NASTY = [
  `<img src=x onerror="alert(1)">`,
  `<script>alert(2)</script>`,
  `"><svg/onload=alert(3)>`,
  `javascript:alert(4)`,
  `</pre></mark><iframe srcdoc="<script>parent.alert(5)</script>"></iframe>`,
  `{{constructor.constructor('alert(6)')()}}`,
  `<a href="javascript:alert(7)" autofocus onfocus=alert(8)>click</a>`,
  `<style>*{display:none}</style><base href="https://example.invalid/">`,
  `</script><form action="https://example.invalid"><button>go</button></form>`,
  `\u202e<b>turned</b>\u2066 #/other/entries?session=x%00&amp;`,
  `__proto__`,
] as const;

/** Elements that only a text that was taken for markup can have made. */
function strangers(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll(
        "iframe, style, base, form:not(.bench-form), b, script:not([src='main.js']), img:not(.brand img), svg:not(.map svg), [onload], [onerror], [onfocus], a[href^='javascript:'], a[href^='http']",
      ),
    ].map(({ outerHTML }) => outerHTML),
  );
}

/** Until then what is there may be of the place before: the page hears of a new one a little later. */
async function isShown(page: Page, bank: string): Promise<void> {
  await page.waitForFunction((title) => document.title === title, `${bank} · Dentate`);
}

describe("what a memory holds", { skip }, () => {
  let looking: Looking;

  before(async () => {
    looking = await Looking.open(chromium!);
    for (const name of NASTY) {
      const bank = looking.memory.bank(name);
      const turns = NASTY.map((text) => ({
        ...{ role: "user" as const, content: text, speaker: name, session: text },
        metadata: { [text]: text, list: [text] },
      }));
      const call = { role: "tool", content: name, toolName: name, toolCallId: name } as const;
      await bank.addMany([...turns, call]);
      await bank.update("e1", { content: `${NASTY[0]} updated` });
    }
  });

  after(() => looking?.close());

  it("is shown as it is, and does nothing, whatever it is and wherever it stands", async () => {
    await looking.visit("", async ({ page }) => {
      const banks = page.locator(".banks li a");
      await banks.first().waitFor();
      const names = await banks.allTextContents();
      assert.deepEqual(names.sort(), [...NASTY].sort());
      await page.getByLabel("Find a bank").fill("<script");
      assert.ok((await banks.count()) >= 1);
      assert.deepEqual(await strangers(page), []);
      for (const name of NASTY) {
        const at = `#/${encodeURIComponent(name)}`;
        await page.goto(`${looking.service.url}/ui/${at}/entries`);
        await isShown(page, name);
        await page.locator(".entries > li").nth(NASTY.length).waitFor();
        assert.equal(await page.locator("h1").textContent(), name);
        const contents = await page.locator(".entries > li > .content").allTextContents();
        assert.deepEqual(contents, [`${NASTY[0]} updated`, ...NASTY.slice(1), name]);
        const more = page.locator(".entries details");
        for (let i = 0; i < 3; i++) await more.nth(i).locator("summary").click();
        await more.first().locator(".versions").waitFor();
        const metadata = JSON.parse((await more.nth(1).locator("pre").textContent())!) as object;
        assert.deepEqual(Object.values(metadata), [NASTY[1], [NASTY[1]]]);
        assert.deepEqual(await strangers(page), []);
      }
      await shoot(page, "stored-entries", false);
    });
  });

  it("is shown in recalls, asked for in its own words, and in what is asked before deleting", async () => {
    await looking.visit("", async ({ page }) => {
      for (const text of NASTY) {
        const question = new URLSearchParams({ question: `${text} alert go turned x` });
        const at = `#/${encodeURIComponent(text)}/recall?${question}`;
        await page.goto(`${looking.service.url}/ui/${at}`);
        await isShown(page, text);
        await page.locator(".map svg circle").first().waitFor();
        const { text: packed } = await looking.memory.bank(text).recall(question.get("question")!);
        assert.equal(await page.locator(".prompt").textContent(), packed);
        assert.deepEqual(await strangers(page), []);
        await page
          .getByRole("button", { name: /^Delete entry/ })
          .first()
          .click();
        await page.getByRole("dialog").waitFor();
        assert.deepEqual(await strangers(page), []);
        await page.getByRole("button", { name: "Cancel" }).click();
      }
      await shoot(page, "stored-recall", false);
    });
  });

  it("is shown in the table of sessions, whose links lead to them", async () => {
    await looking.visit(`/#/${encodeURIComponent(NASTY[0])}/sessions`, async ({ page }) => {
      const links = page.locator("tbody th a");
      await links.first().waitFor();
      assert.deepEqual((await links.allTextContents()).sort(), ["default", ...NASTY].sort());
      await links.filter({ hasText: NASTY[9] }).click();
      await page.getByText("Only session").waitFor();
      const contents = page.locator(".entries > li > .content");
      assert.deepEqual(await contents.allTextContents(), [NASTY[9]]);
      assert.deepEqual(await strangers(page), []);
    });
  });

  it("is kept from becoming markup by the browser itself", async () => {
    await looking.visit(
      "",
      async ({ page, faults }) => {
        await page.locator(".banks li a").first().waitFor();
        const [markup, script] = await page.evaluate(() => {
          const trial = (work: () => void) => {
            try {
              work();
              return "done";
            } catch (error) {
              return (error as Error).name;
            }
          };
          return [
            trial(() => {
              document.body.innerHTML = "<p>taken for markup</p>";
            }),
            trial(() => {
              const inline = document.createElement("script");
              inline.text = "document.title = 'run'";
              document.body.append(inline);
            }),
          ];
        });
        assert.deepEqual([markup, script], ["TypeError", "TypeError"]);
        assert.notEqual(await page.title(), "run");
        assert.ok(faults.length > 0);
      },
      { expected: /./ },
    );
  });
});
