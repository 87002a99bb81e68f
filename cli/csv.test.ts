import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, jest, test } from "@jest/globals";
import { until } from "#support/until";
import type { CommandContext } from "./context.ts";
import { writeCsv } from "./csv.ts";
import { printedBy } from "./fixtures/printed.ts";

test("a whole list is read to its end, also where that takes longer than another answer may", async () => {
  const server = createServer(async (_, response) => {
    response.write("userId\r\n");
    await delay(200);
    response.end("u1\r\n");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { timeout } = AbortSignal;
  const shorter = jest.spyOn(AbortSignal, "timeout").mockImplementation(() => timeout(50));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = ["audiences", "members", "aud_1", "--csv"];
    expect(await printedBy(args, { HOOKLINE_CONTROL_URL: url })).toMatchObject({
      ...{ code: 0, out: "userId\r\nu1\r\n" },
    });
  } finally {
    shorter.mockRestore();
    server.close();
  }
});

test("no more of a list is read than its reader takes", async () => {
  const server = createServer((_, response) => {
    const row = "u".repeat(65_536);
    const more = () => void response.write(row, more);
    more();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let written = 0;
  const context: Pick<CommandContext, "environment" | "write" | "drained"> = {
    environment: { HOOKLINE_CONTROL_URL: url },
    write: () => void written++,
    drained: () => new Promise(() => undefined),
  };
  void writeCsv(context as CommandContext, "/v1/audiences/aud_1/members.csv", {});
  await until(() => written > 0, { timeoutMs: 60_000, what: "the first piece" });
  await delay(200);
  expect(written).toBe(1);
  server.closeAllConnections();
  server.close();
});
