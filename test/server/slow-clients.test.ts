import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, before, describe, it, mock } from "node:test";
import { Memory } from "../../src/index.js";
import { listen, type Service } from "../../src/server/index.js";
import { cutOffSlow, linesInTime, PATIENCE } from "../../src/server/patience.js";

const LINE = `${JSON.stringify({ role: "user", content: "hello" })}\n`;

/** Resolves with all that came when the other side has ended or cut the connection. */
function untilCut(socket: Socket): Promise<string> {
  let got = "";
  socket.on("data", (data) => {
    got += data;
  });
  socket.on("error", () => undefined);
  return new Promise((resolve) => socket.once("close", () => resolve(got)));
}

/** Sends a piece every few milliseconds until the other side has had enough. */
function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => {
    if (socket.writable) socket.write(piece);
  }, 5);
  socket.once("close", () => clearInterval(timer));
}

describe("a service", () => {
  let memory: Memory;
  let service: Service;
  let port: number;
  before(async () => {
    memory = await Memory.open({ inMemory: true });
    service = await listen({ memory, patience: { body: 100, answer: 100 } });
    port = Number(new URL(service.url).port);
  });
  after(async () => {
    await service.close();
    await memory.close();
  });

  it("cuts off a head that comes a byte at a time", async () => {
    // One of its own: on a busy machine, the head of a request of others may come as late.
    const impatient = await listen({ memory, patience: { head: 100 } });
    const socket = connect(Number(new URL(impatient.url).port), "127.0.0.1");
    socket.write("GET /v1/banks HTTP/1.1\r\nHost: localhost\r\nX-A: ");
    drip(socket, "a");
    assert.match(await untilCut(socket), /^$|^HTTP\/1\.1 408 .*"code":"TIMED_OUT"/s);
    await impatient.close();
  });

  it("refuses what is no request in the shape of all refusals", async () => {
    const long = `GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ${"a".repeat(100_000)}\r\n\r\n`;
    for (const [sent, answer] of [
      ["\u0016\u0003\u0001 hello\r\n\r\n", /^HTTP\/1\.1 400 .*"code":"BAD_REQUEST"/s],
      // Nothing where it is cut off with what it still sends, before it has read.
      [long, /^$|^HTTP\/1\.1 431 .*"code":"TOO_LARGE"/s],
    ] as const) {
      const socket = connect(port, "127.0.0.1");
      socket.write(sent);
      assert.match(await untilCut(socket), answer);
    }
  });

  it("cuts off a body that comes a byte at a time", async () => {
    const socket = connect(port, "127.0.0.1");
    socket.write(
      "POST /v1/banks/b/recall HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000\r\nContent-Type: application/json\r\n\r\n",
    );
    drip(socket, " ");
    await untilCut(socket);
  });

  it("tells a stream that stops, or sends empty lines, that its time is over", async () => {
    for (const piece of ["", "1\r\n\n\r\n"]) {
      const socket = connect(port, "127.0.0.1");
      socket.write(
        "POST /v1/banks/b/ingest HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
      );
      const cut = untilCut(socket);
      if (piece !== "") drip(socket, piece);
      assert.match(await cut, /^HTTP\/1\.1 200 .*"code":"TIMED_OUT"/s);
    }
  });

  it("answers others meanwhile, and afterwards", async () => {
    const sockets = Array.from({ length: 50 }, () => {
      const socket = connect(port, "127.0.0.1");
      socket.write(
        "POST /v1/banks/b/turns HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
      );
      return untilCut(socket);
    });
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    await Promise.all(sockets);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  });
});

describe("cutting off", () => {
  async function serving(
    server: Server,
    patience: Partial<typeof PATIENCE>,
    work: (port: number) => Promise<void>,
  ): Promise<void> {
    cutOffSlow(server, { ...PATIENCE, ...patience });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      await work((server.address() as AddressInfo).port);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  it("ends a connection whose answer is not taken", async () => {
    // More than the buffers of two sockets hold.
    const body = Buffer.alloc(64 * 1024 * 1024);
    const server = createServer((_, response) => response.end(body));
    await serving(server, { answer: 50 }, async (port) => {
      const cut = new Promise((resolve) => {
        server.once("connection", (socket) => socket.once("close", resolve));
      });
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.pause();
      socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await cut;
      socket.destroy();
    });
  });

  it("ends a connection on which nothing more is asked", async () => {
    const server = createServer((_, response) => response.end("done"));
    await serving(server, { idle: 50 }, async (port) => {
      const socket = connect(port, "127.0.0.1");
      socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assert.match(await untilCut(socket), /^HTTP\/1\.1 200 /);
    });
  });

  it("leaves alone a request that is long worked on", async () => {
    const later = setTimeout;
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const server = createServer((request, response) => {
        request.resume();
        request.once("end", () => {
          mock.timers.tick(1000);
          later(() => response.end("done"), 2500);
        });
      });
      // Long enough for a busy machine to bring a request to the server in.
      await serving(server, { body: 500, answer: 2000, idle: 2000 }, async (port) => {
        for (const init of [{}, { method: "POST", body: "x" }]) {
          const headers = { Connection: "close" };
          const answer = await fetch(`http://127.0.0.1:${port}/`, { ...init, headers });
          assert.equal(await answer.text(), "done");
        }
      });
    } finally {
      mock.timers.reset();
    }
  });
});

describe("lines in time", () => {
  it("may come for ever, and each of them in pieces", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      let push!: (text: string) => void;
      const source = new ReadableStream<Uint8Array>({
        start(controller) {
          push = (text) => controller.enqueue(Buffer.from(text));
        },
      });
      const lines = linesInTime(source, 1000, 100);
      for (let i = 0; i < 20; i++) {
        const next = lines.next();
        push(LINE.slice(0, 5));
        mock.timers.tick(60);
        push(LINE.slice(5));
        assert.equal((await next).value, LINE.trim());
        // What is done with a line is not its sender's time.
        mock.timers.tick(500);
      }
      const next = lines.next();
      push("\n");
      assert.equal((await next).value, "");
      mock.timers.tick(60);
      const last = lines.next();
      push("half a line");
      // The generator asks its source first.
      await new Promise((resolve) => setImmediate(resolve));
      mock.timers.tick(60);
      await assert.rejects(last, { status: 408, code: "TIMED_OUT" });
    } finally {
      mock.timers.reset();
    }
  });
});
