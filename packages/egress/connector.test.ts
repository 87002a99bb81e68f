import { isIPv6 } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { buildConnector } from "undici";
import { systemHost } from "#host";
import { emptyResponse, type RawServer, startRawServer } from "#support/raw-server";
import type { AddressPolicy } from "./addresses.ts";
import { ConnectionLog } from "./connection-log.ts";
import { createConnector } from "./connector.ts";
import { watchConnectionAttempts } from "./fixtures/connection-attempts.ts";
import { createEgress } from "./index.ts";

let server: RawServer;
beforeEach(async () => {
  server = await startRawServer((socket) => socket.write(emptyResponse(200)));
});
afterEach(() => server.close());

/** Connects as undici asks it to; resolves with what came of it. */
function connected(policy: AddressPolicy): Promise<{ error: unknown; isOpen: boolean }> {
  const address = { address: "127.0.0.1", family: 4 };
  const resolver = { resolve: async () => [address], forget: () => undefined };
  const connect = createConnector({ policy, resolver, ca: [], open: { count: 0 } });
  const port = String(server.port);
  return new Promise((resolve) => {
    const target = { hostname: "a.test", host: `a.test:${port}`, protocol: "http:", port };
    const onConnected: buildConnector.Callback = (error, socket) => {
      // Undici makes the same check before it writes: a socket that is destroyed already is given back all
      // the same.
      const isOpen = socket !== null && !socket.destroyed;
      resolve({ error: error ?? socket?.errored ?? null, isOpen });
      socket?.destroy();
    };
    connect(target, onConnected, new ConnectionLog(() => 0));
  });
}

describe("a connection (contract 6.1)", () => {
  test("is ended by the look at the address that was really reached, when that is forbidden", async () => {
    const asked: string[] = [];
    // Allowed when the name is looked up, forbidden when the socket stands: as if the lookup had been got around.
    const policy: AddressPolicy = (address) => {
      asked.push(address);
      return asked.length === 1 ? undefined : "forbidden by now";
    };
    const { error, isOpen } = await connected(policy);
    expect(asked).toEqual(["127.0.0.1", "127.0.0.1"]);
    expect(isOpen).toBe(false);
    expect(error).toMatchObject({ code: "BLOCKED_ADDRESS" });
    expect(server.received.join("")).toBe("");
  });

  test("stands when both looks find it allowed", async () => {
    expect(await connected(() => undefined)).toEqual({ error: null, isOpen: true });
  });

  test("to one of two addresses has the time that a lost packet takes, whoever is slow", async () => {
    // This process is busy when the answer comes: to it the endpoint takes 400 ms.
    const busy = (): void => {
      const untilMs = performance.now() + 400;
      while (performance.now() < untilMs);
    };
    const watched = watchConnectionAttempts(() => process.nextTick(busy));
    const addresses = ["127.0.0.1", "::1"].map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    const egress = createEgress({ allowCidrs: ["127.0.0.0/8", "::1/128"], resolve: async () => addresses });
    const url = `http://two.test:${server.port}/`;
    const result = await egress.post({ url, headers: {}, body: Buffer.from("{}"), deadlineMs: 5_000 });
    watched.stop();
    expect([result, watched.addresses]).toMatchObject([{ status: 200 }, ["127.0.0.1"]]);
    await egress.close();
  });

  test("that cannot be made lets the next request ask for the name again", async () => {
    const { port } = server;
    // Nothing listens at the first address: the endpoint has moved, and the cache does not know it yet.
    const answers = ["127.0.0.2", "127.0.0.1"];
    const egress = createEgress({
      allowCidrs: ["127.0.0.0/8"],
      dnsTtlMs: 3_600_000,
      resolve: async () => [{ address: answers.shift() ?? "", family: 4 }],
    });
    const post = () =>
      egress.post({
        url: `http://moved.test:${port}/`,
        headers: {},
        body: Buffer.from("{}"),
        deadlineMs: 5_000,
      });
    expect(await post()).toMatchObject({ kind: "failure", failure: "connect" });
    expect(await post()).toMatchObject({ kind: "response", status: 200 });
    await egress.close();
  });

  test("to a name that nobody knows lets the name be asked for again after two seconds, not with every request", async () => {
    const clock = { elapsedMs: 0 };
    let asked = 0;
    const egress = createEgress({
      allowCidrs: [],
      host: { ...systemHost, elapsed: () => clock.elapsedMs },
      resolve() {
        asked += 1;
        return Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }));
      },
    });
    const askedAt = async (elapsedMs: number) => {
      clock.elapsedMs = elapsedMs;
      const url = "http://unknown.test/";
      const result = await egress.post({ url, headers: {}, body: Buffer.from("{}"), deadlineMs: 5_000 });
      expect(result).toMatchObject({ kind: "failure", failure: "dns" });
      return asked;
    };
    expect([await askedAt(0), await askedAt(1_999), await askedAt(2_000)]).toEqual([1, 1, 2]);
    await egress.close();
  });
});
