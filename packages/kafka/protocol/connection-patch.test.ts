import { expect, test } from "@jest/globals";
import errors from "kafkajs/src/errors.js";
import { closingAll, closingSilent } from "./connection-patch.ts";

/** The connections to a broker, of which the second is asked, and what becomes of them. */
async function failing(error: Error): Promise<{ error: unknown; done: string[] }> {
  const done: string[] = [];
  const connection = (name: string) => ({
    host: "h",
    port: 9092,
    requestQueue: { inflight: { size: 1 } },
    isOpen: true,
    isConnected() {
      return this.isOpen;
    },
    socket: { destroy: () => void done.push(`${name} destroyed`) },
    rejectRequests: (thrown: Error) => void done.push(`${name} ${thrown.name}`),
    async disconnect() {
      this.isOpen = false;
    },
    send: closingSilent(async () => {
      throw error;
    }),
  });
  const [other, asked] = [connection("other"), connection("asked")];
  const send = closingAll((exchange) => asked.send(exchange));
  const thrown: unknown = await send.call({ pool: [other, asked], send }, {}).catch((each) => each);
  return { error: thrown, done };
}

test("the connections to a broker that has not answered in time are closed, for all that wait on them", async () => {
  const { error, done } = await failing(new errors.KafkaJSRequestTimeoutError("Request Fetch timed out"));
  const closed = { name: "KafkaJSConnectionClosedError", message: "Request Fetch timed out" };
  expect(error).toMatchObject({ ...closed, host: "h", port: 9092 });
  const closing = (name: string) => [`${name} KafkaJSConnectionClosedError`, `${name} destroyed`];
  expect(done).toEqual([...closing("asked"), ...closing("other")]);
});

test("those to one that answers with an error, or whose connection ended otherwise, are kept", async () => {
  const ended = new errors.KafkaJSConnectionClosedError("ended", { host: "h", port: 9092 });
  for (const refused of [new Error("refused"), ended])
    expect(await failing(refused)).toEqual({ error: refused, done: [] });
});
