import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { until } from "#support/until";
import { type Printed, printedBy } from "./fixtures/printed.ts";

const PIECES = [
  ': heartbeat\n\nevent: listening\ndata: {"eventsPerSecond":50}\n\nevent: acc',
  'epted\ndata: {"messageId":"m1","type":"track","event":"Order\\u001b","userId":"u1","anonymousId":null,"receivedAt":"12:00"}\n',
  '\nevent: refused\ndata: {"code":"event_not_defined","message":"no event","calls":2,"at":"12:01"}\nid: run.2\n\n',
];
const AGAIN = [
  'event: listening\ndata: {"eventsPerSecond":50}\nid: run.3\n\n',
  'event: missed\ndata: {"events":4}\n\n',
];

let close: () => void;
afterEach(() => close());

type Answer = readonly string[] | "cut off" | number;

/** The output of `hookline live` for a control API that answers one after the other: pieces and then the end, an end within, or a status. */
async function watching(
  answers: readonly Answer[],
  ...args: string[]
): Promise<Printed & { readonly asked: string[] }> {
  const [asked, lines]: [string[], string[]] = [[], []];
  const server = createServer(async (request, response) => {
    const answer = answers[asked.length] ?? 404;
    asked.push(`${request.url} ${request.headers["last-event-id"] ?? "-"}`);
    if (typeof answer === "number") return void response.writeHead(answer).end("{}");
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const piece of answer === "cut off" ? AGAIN : answer) {
      response.write(piece);
      await new Promise(setImmediate);
    }
    if (answer !== "cut off") return void response.end();
    // What the client has not read by then goes with the connection.
    await until(() => lines.at(-1)?.startsWith("missed"), { timeoutMs: 20_000, what: "the last event" });
    response.destroy();
  }).listen(0, "127.0.0.1");
  close = () => void server.close();
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const settings = { HOOKLINE_CONTROL_URL: `http://127.0.0.1:${port}` };
  const printed = await printedBy(["live", ...args], settings, [], lines);
  return { ...printed, asked };
}

test("live prints a line for each event, wherever its pieces end, and nothing that steers the terminal", async () => {
  const { lines } = await watching([PIECES], "source", "src_1");
  expect(lines.map((line) => line.replace(/\s+/g, " "))).toEqual([
    'listening {"eventsPerSecond":50}',
    expect.stringMatching(/^12:00 accepted track Order\S* m1 u1$/),
    "12:01 refused event_not_defined no event 2",
  ]);
  expect(lines.join("")).not.toContain("\u001b");
});

test("live goes on behind the last event when it was cut off, and ends when it is refused", async () => {
  const { asked, code, lines, said } = await watching([PIECES, 503, "cut off", 401], "source", "src_1");
  const path = "/v1/sources/src_1/live";
  expect(asked).toEqual([`${path} -`, `${path} run.2`, `${path} run.2`, `${path} run.3`]);
  expect(lines.slice(3)).toEqual(['listening {"eventsPerSecond":50}', 'missed {"events":4}']);
  expect(said.split("\n").slice(0, 4)).toEqual([
    "The connection has ended; the next try is in 1 s.",
    "The connection has ended; the next try is in 2 s.",
    "Connected again.",
    "The connection has ended; the next try is in 1 s.",
  ]);
  expect(code).toBe(3);
}, 30_000);

test("live ends at once where it cannot begin", async () => {
  const { asked, code, said } = await watching([503], "source", "src_1");
  expect([asked.length, code, said]).toEqual([1, 5, "hookline: the answer is 503"]);
});

test("live --json prints each event as JSON", async () => {
  const { asked, lines } = await watching([PIECES], "destination", "dst_1", "--json");
  expect(asked[0]).toBe("/v1/destinations/dst_1/live -");
  expect(lines.map((line) => JSON.parse(line).name)).toEqual(["listening", "accepted", "refused"]);
});
