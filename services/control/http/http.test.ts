import { hash } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { until } from "#support/until";
import { createAuthorise, LOCAL_CALLER } from "./auth.ts";
import { serverOf } from "./fixtures/server.ts";
import { testSessions } from "./fixtures/sessions.ts";
import { ProblemError, refused } from "./problem.ts";
import type { ServerOptions } from "./server.ts";
import { refusedBy } from "./validation.ts";

const LOCAL = {
  method: "GET",
  ...{ authorization: undefined, session: undefined, ticket: undefined, csrfToken: undefined },
  ...{ host: "localhost:8090", origin: undefined },
};

describe("who may use the API without a token (contract 6.4)", () => {
  const isAllowed = (fetchSite: string | undefined, more = {}): boolean => {
    try {
      createAuthorise([], testSessions())({ ...LOCAL, fetchSite, ...more });
      return true;
    } catch (error) {
      expect(error).toMatchObject({ kind: "forbidden" });
      return false;
    }
  };

  test("not what a page of another site makes a browser ask without an Origin", () => {
    expect(isAllowed("cross-site")).toBe(false);
    expect(isAllowed("cross-site", { origin: "http://localhost:8090" })).toBe(false);
  });

  test.each([undefined, "none", "same-origin", "same-site"])(
    "programs, and what a person opens: Sec-Fetch-Site %s",
    (site) => {
      expect(isAllowed(site)).toBe(true);
    },
  );

  test("with a token it does not matter where it is sent from", () => {
    const tokens = [{ ...LOCAL_CALLER, digest: hash("sha256", "token-0123456789abcdef", "buffer") }];
    const authorise = createAuthorise(tokens, testSessions());
    const request = { ...LOCAL, authorization: "Bearer token-0123456789abcdef", fetchSite: "cross-site" };
    expect(() => authorise(request)).not.toThrow();
  });
});

describe("a refusal", () => {
  test("names the first fifty fields and counts the rest", () => {
    const problems = Array.from({ length: 60 }, (_, index) => ({ path: `f${index}`, message: "is wrong" }));
    const { errors, message } = refused(problems);
    expect(errors).toEqual(problems.slice(0, 50));
    expect(message).toMatch(/^60 values are refused: f0, f1, .*, f49 and 10 more$/);
    expect(refused(problems.slice(0, 50)).message).not.toContain("more");
  });

  test("of a body that is one long list of mistakes is short, and so is each field's name", () => {
    const errors = Array.from({ length: 250_000 }, (_, index) => ({
      instancePath: `/webhooks/${index}`,
      schemaPath: "",
      keyword: "type",
      params: { type: "object" },
    }));
    const { message, errors: named } = refusedBy(errors);
    expect(message).toMatch(/^250000 values are refused: .* and 249950 more$/);
    expect(named).toHaveLength(50);
    const [long] = refused([{ path: "x".repeat(500_000), message: "is not a field that can be set" }]).errors;
    expect(long?.path).toHaveLength(201);
  });
});

/** Ends the requests that wait. */
const waits: (() => void)[] = [];

function createApp(over: Partial<ServerOptions> = {}) {
  const wait = async () => await new Promise<void>((resolve) => void waits.push(resolve));
  return serverOf([(app) => app.get("/waits", wait)], over);
}

test("it ends while a connection is open over which nothing has come", async () => {
  const app = await createApp();
  await app.listen({ port: 0, host: "127.0.0.1" });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1").resume();
  await once(socket, "connect");
  const ended = once(socket, "close");
  await app.close();
  await ended;
});

describe("of more connections than the limit", () => {
  const MOST = 500;
  const REQUEST = "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const sockets: Socket[] = [];
  const ended = new Set<Socket>();
  let app: Awaited<ReturnType<typeof createApp>>;
  let authorise = (): typeof LOCAL_CALLER => LOCAL_CALLER;
  beforeEach(async () => {
    authorise = () => LOCAL_CALLER;
    app = await createApp({ authorise: () => authorise() });
    await app.listen({ port: 0, host: "127.0.0.1" });
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await app.close();
  });

  const open = async (sent = ""): Promise<Socket> => {
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    sockets.push(socket);
    socket.on("error", () => undefined).once("close", () => ended.add(socket));
    await once(socket, "connect");
    if (sent !== "") socket.write(sent);
    return socket;
  };
  const answerOf = async (socket: Socket): Promise<string> => {
    const answered = Promise.race([once(socket, "data"), once(socket, "close")]);
    socket.write(REQUEST);
    return String((await answered)[0]);
  };

  test.each([
    ["nothing", ""],
    ["half of its headers", "GET /nothing HTTP/1.1\r\nHost:"],
  ])("the oldest is closed that has sent %s, and who comes is answered", async (_, sent) => {
    const oldest = await open(sent);
    while (sockets.length < MOST) await open(sent);
    const [comes, closed] = [await open(), once(oldest, "close")];
    oldest.resume();
    expect(await answerOf(comes)).toMatch(/^HTTP\/1\.1 404 /);
    if (!ended.has(oldest)) await closed;
    expect(sockets.filter((socket) => ended.has(socket))).toEqual([oldest]);
  });

  test("none is closed whose request is under way; one that was answered may be", async () => {
    const answered = await open();
    await answerOf(answered);
    const busy = await open("GET /waits HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await until(() => waits.length === 1, { timeoutMs: 60_000, what: "the request to be there" });
    while (sockets.length < MOST) await open();
    answered.resume();
    await open();
    await until(() => ended.has(answered), { timeoutMs: 60_000, what: "the oldest silent one to be closed" });
    const said = once(busy, "data");
    waits.pop()?.();
    expect(String((await said)[0])).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("half may have requests of one token under way; more are answered 503, and others go on", async () => {
    const waiting = "GET /waits HTTP/1.1\r\nHost: localhost\r\n\r\n";
    while (sockets.length < MOST / 2) await open(waiting);
    await until(() => waits.length === MOST / 2, { timeoutMs: 60_000, what: "all requests to be there" });
    const refused = await answerOf(await open());
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused).toContain("retry-after: 5");
    expect(refused).toContain("250 requests are under way with the token local, which is the most");
    authorise = () => ({ ...LOCAL_CALLER, name: "other" });
    expect(await answerOf(await open())).toMatch(/^HTTP\/1\.1 404 /);
    authorise = () => LOCAL_CALLER;
    for (const answer of waits.splice(0)) answer();
    const again = async () => (await answerOf(await open())).startsWith("HTTP/1.1 404 ");
    await until(again, { timeoutMs: 60_000, what: "the token to have room again" });
  });

  test("those without a token count as silent, whatever they send", async () => {
    authorise = () => {
      throw new ProblemError("unauthorized", "no");
    };
    const half = "POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf";
    const first = await open(half);
    await once(first, "data");
    while (sockets.length < MOST) await open(half);
    await open();
    await until(() => ended.has(first), { timeoutMs: 60_000, what: "the oldest one to be closed" });
  });
});

test("headers are waited for 12 s at most: node looks at connections every so often", async () => {
  const app = await createApp();
  const { connectionsCheckingInterval, headersTimeout } = app.server as typeof app.server & {
    readonly connectionsCheckingInterval: number;
  };
  expect(headersTimeout + connectionsCheckingInterval).toBe(12_000);
  await app.close();
});
