import { expect, test } from "@jest/globals";
import errors from "kafkajs/src/errors.js";
import { closingSilent } from "./connection-patch.ts";

async function failing(error: Error): Promise<{ error: unknown; done: string[] }> {
  const done: string[] = [];
  const connection = {
    host: "h",
    port: 9092,
    requestQueue: { inflight: { size: 1 } },
    socket: { destroy: () => void done.push("destroyed") },
    rejectRequests: ({ name }: Error) => void done.push(name),
    disconnect: async () => void done.push("disconnected"),
    send: closingSilent(async () => {
      throw error;
    }),
  };
  return { error: await connection.send({}).catch((thrown: unknown) => thrown), done };
}

test("a connection on which a request was not answered in time is closed, for all that wait on it", async () => {
  const { error, done } = await failing(new errors.KafkaJSRequestTimeoutError("Request Fetch timed out"));
  const closed = { name: "KafkaJSConnectionClosedError", message: "Request Fetch timed out" };
  expect(error).toMatchObject({ ...closed, host: "h", port: 9092 });
  expect(done).toEqual(["KafkaJSConnectionClosedError", "disconnected", "destroyed"]);
});

test("one that answers with an error is kept", async () => {
  const refused = new Error("refused");
  expect(await failing(refused)).toEqual({ error: refused, done: [] });
});
