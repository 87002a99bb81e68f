import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type CallIdentity, deliveryJobId, identityOf, replayJobId, userIn } from "./index.ts";

const CALL: CallIdentity = { sourceId: "s", messageId: "m", userId: "u", anonymousId: null };

describe("a call is its source, its messageId and its user (contract 1.8)", () => {
  test("each of them makes another one, an anonymousId beside a userId does not", () => {
    const others = [
      CALL,
      { ...CALL, sourceId: "s2" },
      { ...CALL, messageId: "m2" },
      { ...CALL, userId: "u2" },
      { ...CALL, userId: null, anonymousId: "u" },
      { ...CALL, userId: null, anonymousId: null },
    ].map(identityOf);
    expect(new Set(others).size).toBe(others.length);
    expect(identityOf({ ...CALL, anonymousId: "a" })).toBe(identityOf(CALL));
  });

  test("where the messageId ends and the user begins is not a matter of their letters", () => {
    const [one, other] = [
      { ...CALL, messageId: "mu", userId: "1" },
      { ...CALL, messageId: "m", userId: "u1" },
    ];
    expect(identityOf(one)).not.toBe(identityOf(other));
  });

  test("no two have the same text, whatever messageIds and users hold", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "u", "1", ":", "\0", "\n"), maxLength: 6 });
    const id = fc.option(text, { nil: null });
    const call = fc.record({ sourceId: fc.constant("s"), messageId: text, userId: id, anonymousId: id });
    const userOf = ({ anonymousId, userId }: CallIdentity) => [userId, userId === null ? anonymousId : null];
    fc.assert(
      fc.property(call, call, (one, other) => {
        const areSame = one.messageId === other.messageId && String(userOf(one)) === String(userOf(other));
        const areKnown = JSON.stringify(userOf(one)) === JSON.stringify(userOf(other));
        expect(identityOf(one) === identityOf(other)).toBe(areSame && areKnown);
      }),
    );
  });
});

describe("the user of a record", () => {
  const body = (call: unknown) => Buffer.from(JSON.stringify(call));

  test("is the one that it names, and in a record without one that of its body", () => {
    const nobody = { userId: null, anonymousId: null };
    expect(userIn({ userId: "u", anonymousId: null, body: body({ userId: "other" }) })).toEqual({
      userId: "u",
      anonymousId: null,
    });
    expect(userIn({ ...nobody, body: body({ anonymousId: "a" }) })).toEqual({
      userId: null,
      anonymousId: "a",
    });
    for (const unreadable of [body({ userId: 5 }), body(null), Buffer.from("{")])
      expect(userIn({ ...nobody, body: unreadable })).toEqual(nobody);
  });
});

describe("job ids", () => {
  test("the same call and destination give the same id, anything else another", () => {
    const ids = [
      deliveryJobId(CALL, "d"),
      deliveryJobId(CALL, "d2"),
      deliveryJobId({ ...CALL, userId: "u2" }, "d"),
      deliveryJobId({ ...CALL, sourceId: "d" }, "s"),
      deliveryJobId(CALL, "d", 1),
      deliveryJobId(CALL, "d", 2),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(deliveryJobId(CALL, "d")).toBe(ids[0]);
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  test("a replay's job is another one than the job that died, another one in each replay, and the same when it is made again", () => {
    const died = deliveryJobId(CALL, "d1");
    const ids = [died, replayJobId(died, "rpl_1"), replayJobId(died, "rpl_2"), replayJobId("other", "rpl_1")];
    expect(new Set(ids).size).toBe(ids.length);
    expect(replayJobId(died, "rpl_1")).toBe(ids[1]);
  });
});
