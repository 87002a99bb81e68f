import { once } from "node:events";
import { expect, test } from "@jest/globals";
import { socketFactoryOf } from "./client.ts";

test("of a host none of whose addresses answers, the error says so of each", async () => {
  const addresses = ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 }));
  const connect = socketFactoryOf((_host, _options, answered) => answered(null, addresses));
  const socket = connect({ host: "broker", port: 1, ssl: undefined as never, onConnect: () => undefined });
  const [error] = await once(socket, "error").catch((thrown: unknown) => [thrown]);
  expect(String(error)).toContain("connect ECONNREFUSED 127.0.0.1:1; connect ECONNREFUSED 127.0.0.2:1");
});
