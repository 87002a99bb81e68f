import { hash } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, expect, test } from "@jest/globals";
import type { Logger } from "#runtime";
import { createAuthorise, LOCAL_CALLER } from "./auth.ts";
import { refused } from "./problem.ts";
import { createServer } from "./server.ts";
import { refusedBy } from "./validation.ts";

const LOCAL = { authorization: undefined, host: "localhost:8090", origin: undefined };

describe("who may use the API without a token (contract 6.4)", () => {
  const isAllowed = (fetchSite: string | undefined, more = {}): boolean => {
    try {
      createAuthorise([])({ ...LOCAL, fetchSite, ...more });
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
    const authorise = createAuthorise([
      { ...LOCAL_CALLER, digest: hash("sha256", "token-0123456789abcdef", "buffer") },
    ]);
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

function createApp() {
  const ignore = (): void => undefined;
  const logger = {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: ignore,
    fatal: ignore,
  } as unknown as Logger;
  const telemetry = { answered: ignore, changed: ignore, tested: ignore, poisoned: ignore };
  return createServer({
    authorise: () => LOCAL_CALLER,
    telemetry,
    logger,
    newRequestId: () => "r",
    routes: [],
  });
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

test("more connections than the limit are closed, and the others go on", async () => {
  const app = await createApp();
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  /** "" when the connection was closed instead. */
  const answerOf = (socket: Socket): Promise<string> =>
    new Promise((resolve) => {
      socket.once("data", (chunk: Buffer) => resolve(chunk.toString()));
      socket.once("close", () => resolve(""));
      socket.once("error", () => resolve(""));
      socket.write("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n");
    });
  const open = async (): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    await once(socket, "connect");
    return socket;
  };
  try {
    const first = await open();
    while (sockets.length < 500) await open();
    expect(await answerOf(await open())).toBe("");
    expect(await answerOf(first)).toMatch(/^HTTP\/1\.1 404 /);
  } finally {
    for (const socket of sockets) socket.destroy();
    await app.close();
  }
});
