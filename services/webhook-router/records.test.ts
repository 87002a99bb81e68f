import { expect, test } from "@jest/globals";
import { type DeadLetter, topicMap } from "#topics";
import { createRecords } from "./records.ts";

const raw = { topic: "calls", partition: 2, offset: 7, key: "s1:u1", value: Buffer.from("bytes") };
const call = { messageId: "m1", sourceId: "s1", userId: "u1", anonymousId: null, body: Buffer.from("{}") };

test("a call whose routing failed is named by its dead letter, a record that is no call by its place alone", () => {
  const encoded: DeadLetter[] = [];
  const records = createRecords({
    topics: topicMap({ prefix: "", retryDelaysMs: [1_000] }),
    serde: {
      encode(_: unknown, letter: unknown) {
        encoded.push(letter as DeadLetter);
        return Buffer.of();
      },
    },
    nowMs: () => 5_000,
  });
  records.deadLetter({ ...raw, decoded: call } as never, new Error("a bug"));
  records.deadLetter(raw as never, new Error("no Avro"));
  expect(encoded.map(({ messageId, origin, userId }) => [messageId, userId, origin])).toEqual([
    ["m1", "u1", "calls-2-7"],
    [null, null, "calls-2-7"],
  ]);
});
