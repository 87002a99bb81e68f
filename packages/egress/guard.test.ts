import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { emptyResponse, type RawServer, startRawServer } from "#support/raw-server";
import { addressPolicy } from "./addresses.ts";
import { refuseForbiddenPeer } from "./connector.ts";
import { createEgress, type Egress, type EgressOptions } from "./index.ts";

let server: RawServer;
let client: Egress | undefined;

beforeEach(async () => {
  server = await startRawServer((socket) => socket.write(emptyResponse(200)), { host: "0.0.0.0" });
});

afterEach(async () => {
  await client?.close();
  await server.close();
});

function post(url: string, options: Partial<EgressOptions> = {}) {
  client = createEgress({ allowCidrs: [], ...options });
  return client.post({ url, headers: {}, body: Buffer.from("{}"), deadlineMs: 2_000 });
}

const v4 = (address: string) => ({ address, family: 4 });

describe("a forbidden address (contract 6.1)", () => {
  test.each([
    "127.0.0.1",
    "127.1",
    "0x7f000001",
    "0x7f.0.0.1",
    "2130706433",
    "0177.0.0.1",
    "127.0.0.1.",
    "0.0.0.0",
    "0",
    "１２７.０.０.１",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
    "169.254.169.254",
    "[fe80::1]",
  ])("is refused as the literal %s, on http and https alike", async (literal) => {
    for (const scheme of ["http", "https"]) {
      const result = await post(`${scheme}://${literal}:${server.port}/`);
      expect(result).toMatchObject({ kind: "failure", failure: "blocked_address" });
    }
    expect(server.reachedAt).toEqual([]);
  });

  test("is refused when the system's own resolver gives it for a name", async () => {
    const result = await post(`http://localhost:${server.port}/`);
    expect(result).toMatchObject({ kind: "failure", failure: "blocked_address" });
    expect(server.reachedAt).toEqual([]);
  });

  test("is refused when it is one of several answers, and the others are not tried", async () => {
    const answers = [v4("127.0.0.2"), v4("127.0.0.1")];
    const options = { allowCidrs: ["127.0.0.2"], resolve: async () => answers };
    const result = await post(`http://mixed.test:${server.port}/`, options);
    expect(result).toMatchObject({ kind: "failure", failure: "blocked_address" });
    expect(server.reachedAt).toEqual([]);
  });

  test("is not named in the message that customers read", async () => {
    const result = await post(`http://inside.test:${server.port}/`, {
      resolve: async () => [v4("10.20.30.40")],
    });
    expect(JSON.stringify(result)).not.toContain("10.20.30.40");
  });

  test("is reached once the allow-list opens it", async () => {
    const result = await post(`http://127.0.0.1:${server.port}/`, { allowCidrs: ["127.0.0.0/8"] });
    expect(result).toMatchObject({ kind: "response", status: 200 });
  });
});

describe("DNS rebinding (contract 6.1)", () => {
  test("connects to the very address that was checked, whatever a later answer says", async () => {
    const answers = ["127.0.0.2", "127.0.0.1", "127.0.0.1"];
    const asked: string[] = [];
    const resolve = async (hostname: string) => {
      asked.push(hostname);
      return [v4(answers[asked.length - 1] ?? "")];
    };
    const result = await post(`http://rebind.test:${server.port}/`, { allowCidrs: ["127.0.0.2"], resolve });
    expect(result).toMatchObject({ kind: "response", status: 200 });
    expect(asked).toEqual(["rebind.test"]);
    expect(server.reachedAt).toEqual(["127.0.0.2"]);
  });

  test("refuses the next connection when the answer has turned forbidden", async () => {
    const answers = ["127.0.0.2", "127.0.0.1"];
    const clock = { nowMs: 0 };
    const egress = createEgress({
      allowCidrs: ["127.0.0.2"],
      resolve: async () => [v4(answers.shift() ?? "")],
      host: { ...systemHost, now: () => clock.nowMs },
      dnsTtlMs: 1_000,
    });
    client = egress;
    const send = () =>
      egress.post({
        url: `http://rebind.test:${server.port}/`,
        headers: { connection: "close" },
        body: Buffer.from("{}"),
        deadlineMs: 2_000,
      });
    expect(await send()).toMatchObject({ status: 200 });
    clock.nowMs = 1_000;
    expect(await send()).toMatchObject({
      kind: "failure",
      failure: "blocked_address",
      message: expect.stringContaining("HOOKLINE_EGRESS_ALLOW_CIDRS opens it"),
    });
    expect(server.reachedAt).toEqual(["127.0.0.2"]);
  });

  test("ends a socket that reached a forbidden address before a byte is sent on it", async () => {
    const socket = connect({ port: server.port, host: "127.0.0.1" }, () => socket.write("POST /"));
    refuseForbiddenPeer(socket, addressPolicy([]));
    const [error] = await once(socket, "error");
    expect(error).toMatchObject({ code: "BLOCKED_ADDRESS" });
    expect(server.received.join("")).toBe("");
  });
});
