import { json } from "node:stream/consumers";
import { expect, test } from "@jest/globals";
import { startLocalServer } from "#support/local-server";
import { printedBy } from "../fixtures/printed.ts";

const MADE = { id: "x", writeKeys: ["key"], data: [] };

/**
 * `hookline demo` with one server as control API and ingest, which takes track calls to the webhook at once. POST of `path` has another
 * status than 200, and leads to what answers 200.
 */
async function demoWith(path: string, status: number) {
  let webhook = "";
  const server = await startLocalServer(async (request, response) => {
    const body = request.method === "POST" ? ((await json(request)) as { webhooks?: { url: string }[] }) : {};
    webhook = body.webhooks?.[0]?.url ?? webhook;
    if (request.url === "/v1/track") await fetch(webhook, { method: "POST", body: JSON.stringify(body) });
    response.writeHead(request.url === path ? status : 200, { location: "/login" }).end(JSON.stringify(MADE));
  });
  const ended = await printedBy(["demo", "--ingest", server.url], { HOOKLINE_CONTROL_URL: server.url });
  await server.close();
  return { ...ended, webhook };
}

test.each([
  ["/v1/identify", 503, "ingest answered 503"],
  ["/v1/identify", 302, "ingest answered 302"],
  ["/v1/sources", 302, "the control API answered 302 to POST /v1/sources"],
])("the demo ends, and its webhook with it, when %s is answered with %i", async (path, status, message) => {
  const { code, said, webhook } = await demoWith(path, status);
  await expect(fetch(webhook)).rejects.toThrow();
  expect([code, said]).toEqual([5, expect.stringContaining(message)]);
});
