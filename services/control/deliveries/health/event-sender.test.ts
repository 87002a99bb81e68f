import { describe, expect, test } from "@jest/globals";
import { type RequestResult, standardWebhookHeaders } from "#contract";
import type { OperationalEvent } from "#topics";
import { createEventSender } from "./event-sender.ts";

const HOUR_MS = 3_600_000;
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const answer = (status: number): RequestResult => ({
  kind: "response",
  status,
  retryAfter: undefined,
  durationMs: 1,
  body: Buffer.alloc(0),
});
const REFUSED: RequestResult = { kind: "failure", failure: "connect", message: "refused", durationMs: 1 };

function event(id: string, destinationId: string = "d"): OperationalEvent {
  return { id, type: "destination.failing", destinationId, atMs: 0, body: Buffer.from(`{"id":"${id}"}`) };
}

/** A sender whose clock moves by its own waits; the operator's webhook gives these answers, then 204. */
function setup(answers: RequestResult[], { stopAfter = Number.POSITIVE_INFINITY } = {}) {
  const posted: { atMs: number; id: string; headers: Readonly<Record<string, string>> }[] = [];
  const told: string[] = [];
  const settled: string[] = [];
  let atMs = 0;
  const { step, revoked } = createEventSender({
    egress: {
      post: async ({ headers, body }) => {
        posted.push({ atMs, id: JSON.parse(body.toString()).id, headers });
        return answers.shift() ?? answer(204);
      },
    },
    url: "https://operator.example/",
    secret: SECRET,
    userAgent: "Hookline/1.0",
    deadlineMs: 5_000,
    observer: {
      delivered: () => told.push("delivered"),
      failed: (_event, why) => told.push(why),
      expired: ({ id }) => told.push(`${id} expired`),
    },
    wait: async (delayMs) => {
      atMs += delayMs;
    },
    isStopping: () => posted.length >= stopAfter,
    nowMs: () => atMs,
  });
  const back: string[] = [];
  const hold = { isOurs: true };
  const place = { topic: "t", partition: 0, offset: 0, key: null, value: null, timestampMs: 0 };
  async function send(...events: OperationalEvent[]): Promise<void> {
    for (const decoded of events) {
      const claim = {
        get isOurs() {
          return hold.isOurs;
        },
        // As a reader does: it comes again, at once, for as long as the partition is read here.
        giveBack() {
          back.push(decoded.id);
          if (hold.isOurs && back.length < 100) again();
        },
      };
      const again = () => step({ ...place, decoded }, () => settled.push(decoded.id), claim);
      again();
    }
    for (let turn = 0; turn < 1_000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  function lose(): void {
    hold.isOurs = false;
    revoked();
  }
  return { back, hold, lose, posted, send, settled, told };
}

describe("an operational event (contract 4.5)", () => {
  test("is posted in Standard Webhooks form, and done when it was taken", async () => {
    const { posted, send, settled } = setup([]);
    await send(event("evt_1"));
    const { body } = event("evt_1");
    expect(posted[0]?.headers).toEqual({
      "User-Agent": "Hookline/1.0",
      "Content-Type": "application/json",
      ...standardWebhookHeaders({ secrets: [SECRET], messageId: "evt_1", timestampSeconds: 0, body }),
    });
    expect(settled).toEqual(["evt_1"]);
  });

  test("is sent again under the same id, more and more rarely, until it is taken", async () => {
    const { posted, send, settled, told } = setup([REFUSED, answer(500), answer(404)]);
    await send(event("evt_1"));
    expect(posted.map(({ atMs }) => atMs)).toEqual([0, 1_000, 3_000, 7_000]);
    expect(new Set(posted.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(told).toEqual(["refused", "status 500", "status 404", "delivered"]);
    expect(settled).toEqual(["evt_1"]);
  });

  test.each([200, 299])("is taken by a %i, not by a 300", async (status) => {
    const { send, settled, told } = setup([answer(300), answer(status)]);
    await send(event("evt_1"));
    expect([told, settled]).toEqual([["status 300", "delivered"], ["evt_1"]]);
  });

  test("is given up when it is four hours old", async () => {
    const { posted, send, settled, told } = setup(Array.from({ length: 500 }, () => REFUSED));
    await send(event("evt_1"));
    expect(posted.at(-1)?.atMs).toBeLessThanOrEqual(4 * HOUR_MS);
    expect(posted.at(-1)?.atMs).toBeGreaterThan(4 * HOUR_MS - 61_000);
    expect(told.at(-1)).toBe("evt_1 expired");
    expect(settled).toEqual(["evt_1"]);
  });

  test("waits for the one before of its destination, not for another's", async () => {
    const { posted, send, settled } = setup([REFUSED]);
    await send(event("evt_1"), event("evt_2"), event("evt_3", "e"));
    expect(posted.map(({ id }) => id)).toEqual(["evt_1", "evt_3", "evt_1", "evt_2"]);
    expect(settled).toEqual(["evt_3", "evt_1", "evt_2"]);
  });

  test("that is not through when the service stops is given back when it is read here no more, and once", async () => {
    const { back, lose, send, settled } = setup([REFUSED, REFUSED, REFUSED], { stopAfter: 2 });
    await send(event("evt_1"), event("evt_2"));
    expect([settled, back]).toEqual([[], []]);
    lose();
    lose();
    expect([settled, back]).toEqual([[], ["evt_1", "evt_2"]]);
  });

  test("of a partition that was lost is sent no more and given back", async () => {
    const { back, hold, posted, send, settled } = setup([REFUSED, REFUSED, REFUSED]);
    const sending = send(event("evt_1"), event("evt_2"));
    hold.isOurs = false;
    await sending;
    expect(posted.length).toBeLessThanOrEqual(1);
    expect([settled, back]).toEqual([[], ["evt_1", "evt_2"]]);
  });
});
