import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { describe, expect, test } from "@jest/globals";
import { emptyResponse, type RawServer, startRawServer as startServer } from "#support/raw-server";
import { closeBehind, egress } from "./fixtures/opened.ts";
import type { PostOptions } from "./index.ts";

async function rawServer(...options: Parameters<typeof startServer>): Promise<RawServer> {
  const server = await startServer(...options);
  closeBehind(server);
  return server;
}

function request(port: number, options: Partial<PostOptions> = {}): PostOptions {
  return {
    url: `http://127.0.0.1:${port}/hook?a=b`,
    headers: { "content-type": "application/json" },
    body: Buffer.from('{"a":"ä"}'),
    deadlineMs: 5_000,
    ...options,
  };
}

describe("a POST", () => {
  test("sends path, headers and the exact bytes of the body, and keeps the connection for the next", async () => {
    const server = await rawServer((socket, received) => {
      if (received.endsWith("}")) socket.write(emptyResponse(204));
    });
    const client = egress();
    for (const _ of [1, 2, 3]) {
      const result = await client.post(request(server.port, { headers: { "X-Own": "1" } }));
      expect(result).toMatchObject({ kind: "response", status: 204, retryAfter: undefined });
      // undici reuses a connection one turn of the event loop after its response.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(server.received).toHaveLength(1);
    const [head, body] = server.received[0]?.split("\r\n\r\n") ?? [];
    expect(head).toMatch(/^POST \/hook\?a=b HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/);
    expect(head).toContain("\r\nX-Own: 1");
    expect(head).toContain("\r\ncontent-length: 10");
    expect(body).toMatch(/^\{"a":"Ã¤"\}POST/);
  });

  test("beyond so many open connections is the only one of a new connection; those that stand are kept", async () => {
    const server = await rawServer((socket) => socket.write(emptyResponse(200)));
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const client = egress({ keptConnections: 1, resolve });
    for (const name of ["a", "b", "a", "b", "a"]) {
      const url = `http://${name}.test:${server.port}/`;
      expect(await client.post(request(server.port, { url }))).toMatchObject({ status: 200 });
      await new Promise((resolve) => setImmediate(resolve));
    }
    const hosts = server.received.map((heads) => heads.match(/(?<=host: )\w|connection: close/g));
    expect(hosts).toEqual([
      ["a", "a", "a"],
      ["b", "connection: close"],
      ["b", "connection: close"],
    ]);
  });

  test.each([200, 201, 302, 307, 404, 408, 500, 503])(
    "reports status %d and never sends a second request",
    async (status) => {
      const server = await rawServer((socket) =>
        socket.write(emptyResponse(status, "Location: http://127.0.0.1/other", "Retry-After: 7")),
      );
      const result = await egress().post(request(server.port));
      expect(result).toMatchObject({ kind: "response", status, retryAfter: "7" });
      expect(server.received).toHaveLength(1);
    },
  );

  test("is a success with more headers than servers take", async () => {
    const cookies = Array.from({ length: 60 }, () => `Set-Cookie: ${"x".repeat(1_000)}`);
    const server = await rawServer((socket) => socket.write(emptyResponse(200, ...cookies)));
    expect(await egress().post(request(server.port))).toMatchObject({ kind: "response", status: 200 });
  });

  test.each([
    ["103 Early Hints", "Link: </a>\r\n"],
    ["100 Continue", ""],
  ])("waits past an informational response for the real one: %s", async (status, header) => {
    const server = await rawServer((socket) => {
      socket.write(`HTTP/1.1 ${status}\r\n${header}\r\n`);
      setTimeout(() => socket.write(emptyResponse(200)), 20);
    });
    expect(await egress().post(request(server.port))).toMatchObject({ kind: "response", status: 200 });
  });
});

describe("the deadline (contract 2.5)", () => {
  test.each<[string, (socket: import("node:net").Socket) => void]>([
    ["no answer", () => undefined],
    ["a status line without headers", (socket) => socket.write("HTTP/1.1 200 OK\r\n")],
    [
      "headers that trickle in",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        const timer = setInterval(() => socket.write("X-More: 1\r\n"), 20);
        socket.on("close", () => clearInterval(timer));
      },
    ],
    ["informational responses only", (socket) => socket.write("HTTP/1.1 102 Processing\r\n\r\n")],
  ])("ends a request with %s as timeout and drops the connection", async (_what, answer) => {
    const server = await rawServer(answer);
    const result = await egress().post(request(server.port, { deadlineMs: 150 }));
    expect(result).toMatchObject({ kind: "failure", failure: "timeout" });
    expect(result.durationMs).toBeGreaterThan(140);
    // A reader that only looks at single bytes would go on without end.
    expect(result.durationMs).toBeLessThan(20_000);
    await server.emptied();
  });

  test("counts the wait for a connection, and what waited too long is never sent", async () => {
    const begun = Promise.withResolvers<Socket>();
    const server = await rawServer((socket, received) => {
      begun.resolve(socket);
      if (received.includes("x-third")) socket.write(emptyResponse(200));
    });
    const client = egress({ connectionsPerOrigin: 1 });
    const first = client.post(request(server.port, { deadlineMs: 30_000 }));
    const second = await client.post(request(server.port, { deadlineMs: 100, headers: { "x-second": "1" } }));
    expect(second).toMatchObject({ kind: "failure", failure: "timeout" });
    // The connection becomes free, with the second request still ahead of the third.
    const third = client.post(request(server.port, { deadlineMs: 30_000, headers: { "x-third": "1" } }));
    (await begun.promise).write(emptyResponse(200));
    expect(await first).toMatchObject({ status: 200 });
    expect(await third).toMatchObject({ status: 200 });
    expect(server.received.join("")).not.toContain("x-second");
  });

  test("counts connecting and resolving", async () => {
    const client = egress({ resolve: () => new Promise(() => undefined) });
    const result = await client.post(request(0, { url: "http://slow.test/", deadlineMs: 100 }));
    expect(result).toMatchObject({ kind: "failure", failure: "timeout" });
  });
});

describe("the response's body (contract 2.6)", () => {
  const endless = (socket: import("node:net").Socket): void => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const chunk = `1000\r\n${"x".repeat(4096)}\r\n`;
    const timer = setInterval(() => socket.write(chunk), 1);
    socket.on("close", () => clearInterval(timer));
  };

  test("does not hold the result up, and is cut off after 64 KiB", async () => {
    const server = await rawServer(endless);
    // No deadline comes to help: what closes the connection is the length.
    const result = await egress().post(request(server.port, { deadlineMs: 600_000 }));
    expect(result).toMatchObject({ kind: "response", status: 200, body: Buffer.alloc(0) });
    await server.emptied();
  });

  test("is captured up to the length asked for", async () => {
    const server = await rawServer(endless);
    const result = await egress().post(request(server.port, { captureBytes: 1_024 }));
    expect(result).toMatchObject({ kind: "response", status: 200, body: Buffer.from("x".repeat(1_024)) });
  });

  test("is captured whole when it is shorter", async () => {
    const server = await rawServer((socket) =>
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
    );
    const result = await egress().post(request(server.port, { captureBytes: 1_024 }));
    expect(result).toMatchObject({ kind: "response", body: Buffer.from("ok") });
  });

  test("that never ends is given up at the deadline, and the status stands", async () => {
    const server = await rawServer((socket) =>
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"),
    );
    const result = await egress().post(request(server.port, { captureBytes: 1_024, deadlineMs: 4_000 }));
    expect(result).toMatchObject({ kind: "response", status: 200, body: Buffer.from("half") });
    await server.emptied();
  });
});

describe("a failed connection", () => {
  async function unusedPort(): Promise<number> {
    const server = await startServer(() => undefined);
    await server.close();
    return server.port;
  }

  test("is `connect` when it is refused", async () => {
    const result = await egress().post(request(await unusedPort()));
    expect(result).toMatchObject({ kind: "failure", failure: "connect" });
  });

  test("is `reset` when the endpoint resets it", async () => {
    const server = await rawServer((socket) => socket.resetAndDestroy());
    const result = await egress().post(request(server.port));
    expect(result).toMatchObject({ kind: "failure", failure: "reset" });
  });

  test("is `reset` when the endpoint hangs up without an answer", async () => {
    const server = await rawServer((socket) => socket.end());
    const result = await egress().post(request(server.port));
    expect(result).toMatchObject({ kind: "failure", failure: "reset" });
  });

  test("is `reset`, without a hidden second request, when a kept connection was closed meanwhile", async () => {
    let answered = 0;
    const server = await rawServer((socket) => {
      answered += 1;
      if (answered === 1) socket.write(emptyResponse(200));
      else socket.resetAndDestroy();
    });
    const client = egress();
    expect(await client.post(request(server.port))).toMatchObject({ status: 200 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(await client.post(request(server.port))).toMatchObject({ kind: "failure", failure: "reset" });
    expect(server.received).toHaveLength(1);
  });

  test("is `dns` when the name does not resolve, or has no address", async () => {
    const unknown = Object.assign(new Error("getaddrinfo ENOTFOUND nowhere.test"), { code: "ENOTFOUND" });
    for (const resolve of [() => Promise.reject(unknown), () => Promise.resolve([])]) {
      const result = await egress({ resolve }).post(request(0, { url: "http://nowhere.test/" }));
      expect(result).toMatchObject({ kind: "failure", failure: "dns" });
    }
  });

  test.each([
    ["not HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n"],
    [
      "headers without end",
      `HTTP/1.1 200 OK\r\n${"X-Filler: 0123456789012345678901234567890123456789\r\n".repeat(2_000)}`,
    ],
    ["contradicting lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"],
  ])("is `invalid_response` when the answer is %s", async (_what, answer) => {
    const server = await rawServer((socket) => socket.write(answer));
    const result = await egress().post(request(server.port));
    expect(result).toMatchObject({ kind: "failure", failure: "invalid_response" });
  });

  test("is `connect` for each of many requests at once, and the endpoint is reached again when it is back", async () => {
    const port = await unusedPort();
    const client = egress({ connectionsPerOrigin: 2 });
    const results = await Promise.all(Array.from({ length: 10 }, () => client.post(request(port))));
    expect(results.map((result) => result.kind === "failure" && result.failure)).toEqual(
      Array(10).fill("connect"),
    );
    const server = createServer((socket) => {
      socket.on("data", () => socket.write(emptyResponse(200)));
    }).listen(port, "127.0.0.1");
    await once(server, "listening");
    expect(await client.post(request(port))).toMatchObject({ kind: "response", status: 200 });
    await client.close();
    server.close();
  });
});

describe("what configuration should have refused", () => {
  test.each([
    ["a URL that is none", { url: "http://" }],
    ["a header with a line break", { headers: { "x-a": "1\r\nx-b: 2" } }],
    ["a header name with a space", { headers: { "x a": "1" } }],
    ["a header of the connection's own", { headers: { "transfer-encoding": "chunked" } }],
  ])("is the result `invalid_request`: %s", async (_what, options) => {
    const server = await rawServer((socket) => socket.write(emptyResponse(200)));
    const result = await egress().post(request(server.port, options));
    expect(result).toMatchObject({ kind: "failure", failure: "invalid_request" });
    expect(server.received).toEqual([]);
  });
});
