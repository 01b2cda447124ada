import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Memory } from "../../src/index.js";
import { KeyRing, makeKey } from "../../src/server/index.js";
import { withDirectory } from "../lib/with-memory.js";
import { findChromium, launch, openTab, shoot } from "./lib/chromium.js";
import { conversation, Looking } from "./lib/service.js";

const chromium = findChromium();
const skip = chromium === undefined && "there is no Chromium";
const main = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));

describe("the page of a service with keys", { skip }, () => {
  const { key, record } = makeKey("ana", ["ana/*"]);
  let looking: Looking;

  before(async () => {
    looking = await Looking.open(chromium!, { keys: new KeyRing([record]) });
    await looking.memory.bank("ana/notes").addMany(conversation().slice(0, 5));
    await looking.memory.bank("bob/notes").addMany(conversation().slice(0, 5));
  });

  after(() => looking?.close());

  it("asks for one, and shows the banks that it may use", async () => {
    await looking.visit(
      "",
      async ({ page }) => {
        await page.getByText("An API key is needed").waitFor();
        await shoot(page, "key", false);
        await page.getByLabel("API key").fill("dnt_wrong");
        await page.keyboard.press("Enter");
        await page.getByText("That key is not valid here").waitFor();
        assert.equal(await page.locator(".banks li").count(), 0);
        await page.getByLabel("API key").fill(key);
        await page.keyboard.press("Enter");
        await page.getByRole("link", { name: "ana/notes" }).click();
        await page.getByText("5 entries").waitFor();
        assert.equal(await page.getByRole("link", { name: "bob/notes" }).count(), 0);
        await page.reload();
        await page.getByText("5 entries").waitFor();
        await page.goto(`${looking.service.url}/ui/#/bob%2Fnotes/entries`);
        await page.getByRole("alert").first().waitFor();
        await page.getByRole("button", { name: "Forget the key" }).click();
        await page.getByText("An API key is needed").waitFor();
        assert.equal(await page.evaluate(() => sessionStorage.length), 0);
      },
      { expected: /40[13]/ },
    );
  });
});

describe("dentate inspect", { skip }, () => {
  async function inspect(...args: string[]) {
    const child = spawn(process.execPath, [main, "inspect", ...args]);
    const lines = createInterface(child.stdout);
    const first = once(lines, "line").then(([line]) => line as string);
    return { child, address: await Promise.race([first, once(child, "exit")]) };
  }

  it("shows a store beside who writes it, to who has the address, and deletes nothing", async () => {
    await withDirectory(async (directory) => {
      const memory = await Memory.open(directory);
      const { child, address } = await inspect(await filled(memory, directory));
      assert.ok(typeof address === "string");
      const { origin } = new URL(address);
      const browser = await launch(chromium!);
      try {
        assert.equal((await fetch(`${origin}/v1/banks`)).status, 401);
        const Authorization = `Bearer ${new URL(address).hash.replace("#key=", "")}`;
        const one = `${origin}/v1/banks/default/entries/e1`;
        const headers = { Authorization };
        assert.equal((await fetch(one, { method: "DELETE", headers })).status, 503);
        const { page, strays, faults } = await openTab(browser, origin);
        await page.goto(address);
        await page.getByRole("link", { name: "default" }).click();
        assert.doesNotMatch(page.url(), /dnt_/);
        await page.getByText("read only").waitFor();
        await page.getByLabel("Question").fill("Who is Pipa?");
        await page.locator(".map svg").waitFor();
        assert.equal(await page.getByRole("button", { name: /^Delete/ }).count(), 0);
        await memory.add({ role: "user", content: "Pipa has learned to swim" });
        await page.getByRole("link", { name: "Sessions" }).click();
        // The reader looks for news now and then.
        const rows = page.locator("tbody tr", { hasText: "default" });
        while ((await rows.count()) === 0) {
          await page.getByRole("button", { name: "Refresh" }).click();
          await page.locator("tbody tr").first().waitFor();
        }
        await shoot(page, "inspect", false);
        assert.deepEqual([strays, faults], [[], []]);
      } finally {
        await browser.close();
        child.kill("SIGTERM");
        assert.deepEqual((await once(child, "exit"))[0], 0);
        await memory.close();
      }
    });
  });

  it("deletes where it is told to write, and refuses to where somebody else does", async () => {
    await withDirectory(async (directory) => {
      const memory = await Memory.open(directory);
      await filled(memory, directory);
      const refused = await inspect(directory, "--write");
      assert.deepEqual(refused.address, [1, null]);
      await memory.close();
      const { child, address } = await inspect(directory, "--write");
      assert.ok(typeof address === "string");
      const browser = await launch(chromium!);
      try {
        const { page, faults } = await openTab(browser, new URL(address).origin);
        await page.goto(address);
        await page.getByRole("link", { name: "default" }).click();
        await page.getByRole("link", { name: "Entries" }).click();
        await page.getByRole("button", { name: "Delete entry e1", exact: true }).click();
        await page.getByRole("button", { name: "Delete the entry" }).click();
        await page.getByText("260 entries").waitFor();
        assert.deepEqual(faults, []);
      } finally {
        await browser.close();
        child.kill("SIGTERM");
        assert.deepEqual((await once(child, "exit"))[0], 0);
      }
      const after = await Memory.open(directory, { readOnly: true });
      assert.equal(await after.get("e1"), undefined);
      await after.close();
    });
  });
});

async function filled(memory: Memory, directory: string): Promise<string> {
  await memory.addMany(conversation());
  return directory;
}
