// A sender of many tiny chunks makes work and no calls: it does not keep its connection (decision 34).
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { basic, useFixture, WRITE_KEY } from "../fixtures/http.ts";

const ingest = await useFixture();
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const CALL = JSON.stringify({ event: "E", userId: "u", writeKey: WRITE_KEY });
const NO_SOURCE = basic("wk_unknown").authorization;

interface Sent {
  readonly path?: string;
  readonly authorization?: string;
  /** Parts of the body, each in a chunk of its own. */
  readonly parts: readonly string[];
}

const headOf = ({ path = "/v1/track", authorization }: Sent): string =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: x",
    "Transfer-Encoding: chunked",
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    "\r\n",
  ].join("\r\n");

const chunked = (parts: readonly string[]): string =>
  [...parts, ""].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("");

/** A caller that hears answers until its connection is closed. */
function caller() {
  const socket = connect(ingest.port, "127.0.0.1");
  sockets.push(socket);
  const heard: string[] = [];
  const closed = once(socket, "close");
  socket.setEncoding("utf8").on("data", (text: string) => void heard.push(text));
  socket.on("error", () => undefined);
  return {
    closed,
    write: (text: string) => new Promise<void>((resolve) => socket.write(text, () => resolve())),
    heard: () => heard.join(""),
    async answer(count: number) {
      while (heard.join("").split("HTTP/1.1 ").length <= count) await once(socket, "data");
    },
  };
}

describe("a request of some hundred chunks of one byte is the last one of its connection", () => {
  const bytes = [...CALL.padEnd(400)];

  test("that is read", async () => {
    const { write, heard, closed } = caller();
    await write(headOf({ parts: bytes }) + chunked(bytes));
    await closed;
    expect(heard()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(heard()).toMatch(/\r\nConnection: close\r\n/);
  });

  test("that is refused before its end, and read to it", async () => {
    const { write, heard, closed } = caller();
    const parts = Array<string>(1_200).fill(" ".repeat(31));
    await write(headOf({ parts }) + chunked(parts));
    await closed;
    expect(heard()).toMatch(/^HTTP\/1\.1 400 .*message_too_large/s);
  });

  test.each<[string, Partial<Sent>]>([
    ["whose write key is of no source", { authorization: NO_SOURCE }],
    ["that nobody reads", { path: "/v1/m" }],
    ["to a path that is not there", { path: "/v1/nothing" }],
  ])("%s, in one packet or in two", async (_what, sent) => {
    const atOnce = caller();
    await atOnce.write(headOf({ ...sent, parts: bytes }) + chunked(bytes));
    await atOnce.closed;
    expect(atOnce.heard()).toMatch(/^HTTP\/1\.1 [24]0/);

    const later = caller();
    await later.write(headOf({ ...sent, parts: bytes }));
    await later.answer(1);
    await later.write(chunked(bytes));
    await later.closed;
    expect(later.heard().split("HTTP/1.1 ")).toHaveLength(2);
  });
});

describe("a connection stays for the next request", () => {
  test.each<[string, Sent]>([
    ["after a hundred chunks of one byte", { parts: [...CALL.padEnd(100)] }],
    ["after many chunks of some bytes", { parts: [CALL, ...Array<string>(300).fill(" ".repeat(40))] }],
    ["after a refused body of few chunks", { authorization: NO_SOURCE, parts: [CALL, CALL] }],
  ])("%s", async (_what, sent) => {
    const { write, heard, answer } = caller();
    for (let count = 1; count <= 3; count += 1) {
      await write(headOf(sent) + chunked(sent.parts));
      await answer(count);
    }
    expect(heard()).not.toContain("Connection: close");
  });
});
