import { describe, expect, test } from "@jest/globals";
import { rawDeadLetter } from "./raw-dead-letter.ts";

const record = { topic: "calls", partition: 3, offset: 17, value: Buffer.from([0, 255]) };
const rejection = { error: new Error("no such schema"), deadAtMs: 1_000, destinationId: null };

describe("the dead letter of a record that cannot be handled", () => {
  test("holds the record's bytes and its place, which is its id: twice written it is recognised", () => {
    expect(rawDeadLetter(record, rejection)).toMatchObject({
      id: "calls-3-17",
      origin: "calls-3-17",
      body: Buffer.from([0, 255]),
      message: "no such schema",
      deadAtMs: 1_000,
      destinationId: null,
      attempts: 0,
    });
  });

  test("says whether the bytes or their handling were at fault", () => {
    const undecodable = Object.assign(new Error("not Avro"), { canRetry: false });
    const passing = Object.assign(new Error("away"), { canRetry: true });
    const reasonOf = (error: Error) => rawDeadLetter(record, { ...rejection, error }).reason;
    expect([reasonOf(undecodable), reasonOf(passing), reasonOf(new Error("a bug"))]).toEqual([
      "undecodable",
      "handler_failed",
      "handler_failed",
    ]);
  });

  test("names the call where the record could be read, and is no call that could be replayed", () => {
    const call = {
      messageId: "m1",
      sourceId: "s1",
      userId: "u1",
      anonymousId: "a1",
      body: Buffer.from("{}"),
    };
    // An error of the step may look like one of the serde.
    const error = Object.assign(new Error("a bug"), { canRetry: false });
    expect(rawDeadLetter(record, { ...rejection, error, call })).toMatchObject({
      id: "calls-3-17",
      reason: "handler_failed",
      messageId: "m1",
      sourceId: "s1",
      userId: "u1",
      anonymousId: "a1",
      type: null,
      receivedAtMs: null,
      body: Buffer.from([0, 255]),
    });
    expect(rawDeadLetter(record, rejection)).toMatchObject({ messageId: null, sourceId: null, userId: null });
  });

  test("names the user of a record that is older than its fields for it", () => {
    const call = {
      messageId: "m1",
      sourceId: "s1",
      userId: null,
      anonymousId: null,
      body: Buffer.from('{"userId":"u1"}'),
    };
    expect(rawDeadLetter(record, { ...rejection, call })).toMatchObject({ userId: "u1", anonymousId: null });
  });

  test("of a tombstone has an empty body, and keeps the destination that the key told", () => {
    const letter = rawDeadLetter({ ...record, value: null }, { ...rejection, destinationId: "d1" });
    expect(letter.body).toHaveLength(0);
    expect(letter.destinationId).toBe("d1");
  });
});
