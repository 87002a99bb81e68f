import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { KafkaError } from "#kafka";
import { recordedLog } from "#support/recorded-log";
import { LOCAL_CALLER } from "./auth.ts";
import { serverOf } from "./fixtures/server.ts";
import { ProblemError } from "./problem.ts";
import type { ControlApp, ServerOptions } from "./server.ts";

let app: ControlApp | undefined;
afterEach(() => app?.close());

async function started() {
  const log = recordedLog();
  let made = 0;
  const over: Partial<ServerOptions> = {
    authorise({ authorization }) {
      if (authorization === "no") throw new ProblemError("unauthorized", "send a token");
      return LOCAL_CALLER;
    },
    logger: log.logger,
    newRequestId: () => `made-${++made}`,
  };
  const server = await serverOf(
    [
      (routes) => {
        routes.get("/well", () => ({}));
        routes.get("/broken", () => {
          throw new Error("broken");
        });
        routes.get("/away", () => {
          throw new KafkaError("unavailable", "late", { canRetry: true });
        });
        routes.get("/refused", () => {
          throw new ProblemError("conflict", "no");
        });
      },
    ],
    over,
  );
  app = server;
  return { ...log, server };
}

test("a caller's request id is in the answer, in its problem and in the log", async () => {
  const { server, lines } = await started();
  for (const [url, status] of [
    ["/well", 200],
    ["/broken", 500],
    ["/away", 503],
    ["/refused", 409],
    ["/nothing", 404],
    ["/%zz", 400],
  ] as const) {
    const answer = await server.inject({ url, headers: { "x-request-id": `mine:${status}` } });
    expect([url, answer.statusCode, answer.headers["x-request-id"]]).toEqual([url, status, `mine:${status}`]);
    if (status !== 200) expect(answer.json()).toMatchObject({ status, requestId: `mine:${status}` });
  }
  expect(lines.map(({ facts }) => (facts as { requestId?: string }).requestId)).toEqual([
    "mine:500",
    "mine:503",
  ]);
});

test("a request without one is given one, and so is one whose own is not taken over", async () => {
  const { server } = await started();
  const idOf = async (headers: Record<string, string>) =>
    (await server.inject({ url: "/well", headers })).headers["x-request-id"];
  expect(await idOf({})).toBe("made-1");
  expect(await idOf({ "x-request-id": "x".repeat(129) })).toBe("made-2");
  expect(await idOf({ "x-request-id": "two words" })).toBe("made-3");
});

test("who may not pass is told the request's id too", async () => {
  const { server } = await started();
  const answer = await server.inject({
    url: "/well",
    headers: { authorization: "no", "x-request-id": "mine" },
  });
  expect(answer.statusCode).toBe(401);
  expect([answer.headers["x-request-id"], answer.json().requestId]).toEqual(["mine", "mine"]);
});

test("what is no HTTP is answered as a problem with a request id", async () => {
  const { server } = await started();
  await server.listen({ port: 0, host: "127.0.0.1" });
  const socket = connect((server.server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("nonsense\r\n\r\n");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(socket, "end");
  const text = Buffer.concat(chunks).toString();
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toContain("\r\nX-Request-Id: made-1\r\n");
  expect(JSON.parse(text.split("\r\n\r\n")[1] ?? "")).toMatchObject({ status: 400, requestId: "made-1" });
});
