import { beforeEach, describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { deadLetter, routedCall } from "#support/records";
import type { Call, DeadLetter, DeliveryJob } from "#topics";
import type { PlaceReader } from "../../records/places/place-reader.ts";
import { listed } from "../dead-letters/fixtures/listed-dead-letter.ts";
import { trace } from "./fixtures/trace.ts";
import { type BodyWork, findBody } from "./sent-body.ts";

const ACCEPTED = [
  { ...routedCall({ outcome: "duplicate" }), place: 0, callPlace: 4 },
  { ...routedCall(), place: 1, callPlace: 5 },
];
const CALL = { messageId: "m1", sourceId: "s1", userId: "u1", anonymousId: null, traces: [] };

let calls: Map<number, Call>;
let letters: Map<number, DeadLetter>;
let isDeleted: boolean;
let mayBeDeleted: boolean;

const reader = <T>(records: () => Map<number, T>): PlaceReader<T> => ({
  read: async (places) => new Map([...records()].filter(([place]) => places.includes(place))),
});
const work: BodyWork = {
  acceptedCalls: reader(() => calls),
  deadLetters: reader(() => letters),
  deletedUsers: {
    refresh: async () => undefined,
    isOfDeleted: () => isDeleted,
    mayBeOfDeleted: () => mayBeDeleted,
  },
  host: systemHost,
};

const call = (text: string, messageId = "m1") =>
  ({ ...routedCall(), messageId, body: Buffer.from(text) }) as unknown as Call;

beforeEach(() => {
  [calls, letters, isDeleted, mayBeDeleted] = [new Map(), new Map(), false, false];
});

async function bodyOf(accepted = ACCEPTED, known = trace()) {
  const found = await findBody(work, { ...CALL, accepted }, known);
  return "body" in found ? found.body.toString() : found.noBody;
}

describe("the body of a call", () => {
  test("is the accepted call's, not its copy's", async () => {
    calls = new Map([
      [4, call("copy")],
      [5, call("first")],
    ]);
    expect(await bodyOf()).toBe("first");
  });

  test("is that of the job which waits, without a look at the log", async () => {
    const job = { body: Buffer.from("waits") } as DeliveryJob;
    const waiting = [{ job, topicName: "t", place: { topic: 0, partition: 0, offset: 0 } }];
    expect(await bodyOf([], trace({ waiting }))).toBe("waits");
  });

  test("is the dead letter's where the log has let go of the call", async () => {
    letters = new Map([[listed().place, deadLetter()]]);
    expect(await bodyOf(ACCEPTED, trace({ deadLetters: [listed()] }))).toBe('{"type":"track"}');
  });

  test("is no other call's that stands at its place by now", async () => {
    calls = new Map([[5, call("other", "m2")]]);
    expect(await bodyOf()).toBe("no_longer_kept");
  });

  test("is not that of a dead letter which is no call", async () => {
    letters = new Map([[listed().place, deadLetter()]]);
    expect(await bodyOf([], trace({ deadLetters: [listed({ replayable: false })] }))).toBe("not_recorded");
  });

  test("is not recorded where nobody said where the call stands", async () => {
    expect(await bodyOf([])).toBe("not_recorded");
  });

  test("is not shown once its user was deleted", async () => {
    calls = new Map([[5, call("first")]]);
    isDeleted = true;
    expect(await bodyOf()).toBe("user_deleted");
  });

  test("is said to be deleted also where it is no longer there", async () => {
    mayBeDeleted = true;
    expect(await bodyOf()).toBe("user_deleted");
  });
});
