import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { type Printed, printedBy } from "./fixtures/printed.ts";

const PIECES = [
  ': heartbeat\n\nevent: listening\ndata: {"eventsPerSecond":50}\n\nevent: acc',
  'epted\ndata: {"messageId":"m1","type":"track","event":"Order\\u001b","userId":"u1","anonymousId":null,"receivedAt":"12:00"}\n',
  '\nevent: refused\ndata: {"code":"event_not_defined","message":"no event","calls":2,"at":"12:01"}\n\n',
];

let close: () => void;
afterEach(() => close());

/** The output of `hookline live` for a control API that sends the pieces and ends. */
async function watching(...args: string[]): Promise<Printed & { readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const piece of PIECES) {
      response.write(piece);
      await new Promise(setImmediate);
    }
    response.end();
  }).listen(0, "127.0.0.1");
  close = () => void server.close();
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const printed = await printedBy(["live", ...args], { HOOKLINE_CONTROL_URL: `http://127.0.0.1:${port}` });
  return { ...printed, asked };
}

test("live prints a line for each event, wherever its pieces end, and nothing that steers the terminal", async () => {
  const { asked, code, lines, said } = await watching("source", "src_1");
  expect(asked).toEqual(["/v1/sources/src_1/live"]);
  expect(lines.map((line) => line.replace(/\s+/g, " "))).toEqual([
    'listening {"eventsPerSecond":50}',
    expect.stringMatching(/^12:00 accepted track Order\S* m1 u1$/),
    "12:01 refused event_not_defined no event 2",
  ]);
  expect(lines.join("")).not.toContain("\u001b");
  expect([code, said]).toEqual([0, "The control process that was listened to has ended."]);
});

test("live --json prints each event as JSON", async () => {
  const { asked, lines } = await watching("destination", "dst_1", "--json");
  expect(asked).toEqual(["/v1/destinations/dst_1/live"]);
  expect(lines.map((line) => JSON.parse(line).name)).toEqual(["listening", "accepted", "refused"]);
});
