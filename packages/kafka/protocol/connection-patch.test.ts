import { expect, test } from "@jest/globals";
import errors from "kafkajs/src/errors.js";
import { closingSilent } from "./connection-patch.ts";

async function failing(error: Error): Promise<{ error: unknown; done: string[] }> {
  const done: string[] = [];
  const connection = (name: string) => ({
    requestQueue: { inflight: { size: 1 } },
    socket: { destroy: () => void done.push(`${name} destroyed`) },
    rejectRequests: (thrown: Error) => void done.push(`${name} ${thrown.name}`),
    disconnect: async () => void done.push(`${name} disconnected`),
  });
  const connections = {
    host: "h",
    port: 9092,
    pool: [connection("first"), connection("second")],
    send: closingSilent(async () => {
      throw error;
    }),
  };
  return { error: await connections.send({}).catch((thrown: unknown) => thrown), done };
}

test("the connections to a broker that has not answered in time are closed, for all that wait on them", async () => {
  const { error, done } = await failing(new errors.KafkaJSRequestTimeoutError("Request Fetch timed out"));
  const closed = { name: "KafkaJSConnectionClosedError", message: "Request Fetch timed out" };
  expect(error).toMatchObject({ ...closed, host: "h", port: 9092 });
  const closing = ["KafkaJSConnectionClosedError", "disconnected", "destroyed"];
  expect(done).toEqual(["first", "second"].flatMap((name) => closing.map((each) => `${name} ${each}`)));
});

test("those to one that answers with an error are kept", async () => {
  const refused = new Error("refused");
  expect(await failing(refused)).toEqual({ error: refused, done: [] });
});
