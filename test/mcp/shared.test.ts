import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Memory } from "../../src/index.js";
import { connectHttp, type Found, startHttp, startStdio } from "./clients.js";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "dentate-mcp-"));
});
after(() => rm(folder, { recursive: true }));

/** One of the servers that share a store, whichever way it is spoken to. */
interface Member {
  add(text: string): Promise<unknown>;
  memories(): Promise<string[]>;
  /** Ends it with no warning, as the machine's lack of memory would. */
  kill(): Promise<void>;
  /** Its client leaves, and it is asked to stop. */
  leave(): Promise<void>;
}

const MOST = 100;

async function stdioMember(store: string): Promise<Member> {
  const { client, json, pid } = await startStdio(folder, store);
  const closed = new Promise<void>((resolve) => {
    client.onclose = () => resolve();
  });
  return {
    add: (text) => json("add_memory", { text }),
    memories: async () =>
      (await json<Found>("get_memories", { limit: MOST })).results.map(({ memory }) => memory),
    kill: () => {
      process.kill(pid, "SIGKILL");
      return closed;
    },
    leave: () => client.close(),
  };
}

async function httpMember(store: string): Promise<Member> {
  const { url, child, ended } = await startHttp(
    folder,
    ...["mcp", store, "--http", "0", "--no-log"],
  );
  const { client, json } = await connectHttp(url);
  // Its stream breaks when the server is killed, which is no news here.
  client.onerror = () => {};
  return {
    add: (text) => json("add_memory", { text }),
    memories: async () =>
      (await json<Found>("get_memories", { limit: MOST })).results.map(({ memory }) => memory),
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
      await client.close();
    },
    leave: async () => {
      child.kill("SIGTERM");
      assert.equal(await ended, 0);
      await client.close();
    },
  };
}

const kinds: Readonly<Record<string, readonly ((store: string) => Promise<Member>)[]>> = {
  "standard input and output": [stdioMember, stdioMember, stdioMember],
  HTTP: [httpMember, httpMember, httpMember],
  "HTTP, then standard input and output": [httpMember, stdioMember, httpMember],
  "standard input and output, then HTTP": [stdioMember, httpMember, stdioMember],
};

for (const [kind, makers] of Object.entries(kinds)) {
  describe(`servers that share a store over ${kind}`, () => {
    it("lose nothing that was acknowledged when the one that writes is killed", async () => {
      const store = join(folder, kind.replaceAll(/\W+/g, "-"));
      const members: Member[] = [];
      // One after the other, so that the first has the lock.
      for (const make of makers) members.push(await make(store));
      const [holder, second, third] = members as [Member, Member, Member];
      const said: string[] = [];
      const add = async (member: Member, text: string) => {
        await member.add(text);
        said.push(text);
      };
      for (const [i, member] of members.entries()) {
        await add(member, `Server ${i} is here,\u2028and says so`);
      }
      for (const member of members) {
        assert.deepEqual((await member.memories()).sort(), [...said].sort());
      }
      // What it was asked for itself may be there or not, once.
      const last = "The holder's last word";
      const unsure = holder.add(last).catch(() => undefined);
      const adding = [second, third].map(async (member, m) => {
        for (let i = 0; i < 20; i++) await add(member, `Fact ${i} of server ${m + 1}`);
      });
      await second.add("Before the kill");
      said.push("Before the kill");
      await holder.kill();
      await Promise.all([...adding, unsure]);
      for (const member of [second, third]) {
        const found = await member.memories();
        assert.ok(found.filter((text) => text === last).length <= 1);
        assert.deepEqual(found.filter((text) => text !== last).sort(), [...said].sort());
      }
      // The next holder goes in peace, and one that comes back finds all.
      await second.leave();
      await add(third, "The last one");
      const back = await makers[0]!(store);
      await add(back, "And one more");
      assert.deepEqual(
        (await third.memories()).filter((text) => text !== last).sort(),
        [...said].sort(),
      );
      await Promise.all([third.leave(), back.leave()]);
      const memory = await Memory.open(store, { lockTimeout: 10_000 });
      assert.ok((await memory.stats()).entries - said.length <= 1);
      await memory.close();
    });
  });
}
