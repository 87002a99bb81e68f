import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { standardWebhookHeaders } from "#contract";
import { startControl } from "#support/control-service";
import { until } from "#support/until";
import { type HealthStage, OPERATOR_SECRET, SHOWN_WEBHOOK, startHealthStage } from "./fixtures/attempts.ts";

const TIMEOUT_MS = 45_000;

let stage: HealthStage;
// The first to ask for it waits until Kafka runs.
beforeAll(async () => {
  stage = await startHealthStage();
}, 180_000);
afterAll(() => stage.close());

async function isIn(id: string, state: string): Promise<boolean> {
  return (await stage.view(id)).health.state === state;
}

describe("health on real Kafka (contract 4.5)", () => {
  test("goes from healthy to failing and back; the API shows it, both ends are reported to the operator once", async () => {
    const id = await stage.create();
    expect((await stage.view(id)).health.state).toBe("untested");
    await stage.attemptUntil(id, "http_5xx", () => isIn(id, "failing"));
    const { health } = await stage.view(id);
    const lastError = {
      at: expect.any(String),
      url: SHOWN_WEBHOOK,
      outcome: "http_5xx",
      status: 503,
      message: "it was http_5xx",
    };
    expect(health).toMatchObject({
      state: "failing",
      since: expect.any(String),
      consecutiveFailures: expect.any(Number),
      lastError,
      reasons: [{ url: SHOWN_WEBHOOK, lastError }],
    });
    expect(health.consecutiveFailures).toBeGreaterThan(1);
    const failing = await stage.untilEvent(id, "destination.failing");
    expect(failing.data).toMatchObject({ destinationId: id, name: "Shop", since: health.since });
    expect(failing.data.webhooks).toMatchObject([{ url: SHOWN_WEBHOOK }]);
    const [{ issueId }] = failing.data.webhooks as [{ issueId: string }];
    const issue = () => stage.control.ask(`/v1/issues/${issueId}`);
    await until(async () => (await issue()).status === 200, { timeoutMs: TIMEOUT_MS, what: "its issue" });
    expect((await issue()).body).toMatchObject({ state: "open", destinationId: id, reason: "http_5xx" });

    await stage.attempted(id, "success");
    // No more attempts come: time alone makes it healthy.
    await stage.untilEvent(id, "destination.recovered");
    await until(() => isIn(id, "healthy"), { timeoutMs: TIMEOUT_MS, what: "it to be healthy" });
    expect((await stage.view(id)).health).toMatchObject({
      consecutiveFailures: 0,
      lastError: null,
      reasons: [],
    });
    expect(stage.events(id).map(({ type }) => type)).toEqual([
      "destination.failing",
      "destination.recovered",
    ]);
  });

  test("an event is signed as Standard Webhooks does, and sent again until it is taken", async () => {
    stage.operator.script("/events", { status: 500 }, { status: 200 });
    const before = stage.operator.requestsTo("/events").length;
    const id = await stage.create();
    await stage.attemptUntil(id, "timeout", () => isIn(id, "failing"));
    const requests = (await stage.operator.untilReceived("/events", before + 2, TIMEOUT_MS)).slice(before);
    for (const { headers, rawBody } of requests) {
      const signed = standardWebhookHeaders({
        secrets: [OPERATOR_SECRET],
        messageId: String(headers["webhook-id"]),
        timestampSeconds: Number(headers["webhook-timestamp"]),
        body: rawBody,
      });
      expect(headers).toMatchObject({ ...signed, "content-type": "application/json" });
    }
    const [first, second] = requests;
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(second?.text).toBe(first?.text);
  });

  test("dead letters are reported at once, and those of the next minute not one by one", async () => {
    const id = await stage.create();
    const told = () => stage.events(id).filter(({ type }) => type === "destination.dead_lettered");
    await stage.died(id, "window_over");
    const event = await stage.untilEvent(id, "destination.dead_lettered");
    expect(event.data).toMatchObject({ destinationId: id, count: 1, reasons: { window_over: 1 } });
    for (let one = 0; one < 5; one += 1) await stage.died(id, "permanent");
    // One more of each partition: when they are reported, the five have been read.
    for (const last of await stage.onePerPartition()) {
      await stage.died(last, "permanent");
      await stage.untilEvent(last, "destination.dead_lettered");
    }
    expect(told()).toHaveLength(1);
  });

  test("a destination that is deleted is forgotten, and attempts that still come do not bring it back", async () => {
    const id = await stage.create();
    await stage.attemptUntil(id, "timeout", () => isIn(id, "failing"));
    await stage.untilAttemptsAreSettled();
    expect((await stage.control.ask(`/v1/destinations/${id}`, { method: "DELETE" })).status).toBe(204);
    const last = async () => (await stage.writtenHealth(id)).at(-1);
    await until(async () => (await last()) === undefined, {
      timeoutMs: TIMEOUT_MS,
      what: "its health's end",
    });
    for (let one = 0; one < 3; one += 1) await stage.attempted(id, "timeout");
    await stage.untilAttemptsAreSettled();
    expect(await last()).toBeUndefined();
    expect((await stage.control.ask(`/v1/destinations/${id}`)).status).toBe(404);
  });

  test("another control process shows the same, and takes the watch over when the first one ends", async () => {
    const first = await startHealthStage();
    const { stack, prefix, keys } = first.control;
    const id = await first.create();
    await first.attemptUntil(id, "timeout", async () => (await first.view(id)).health.state === "failing");
    const second = await startControl({ stack, prefix, keys, settings: first.settings });
    try {
      const health = async () => (await second.ask(`/v1/destinations/${id}`)).body.health;
      expect((await health()).state).toBe("failing");
      await first.control.stop();
      await first.attemptUntil(id, "success", async () => (await health()).state === "healthy");
      await first.untilEvent(id, "destination.recovered");
      const told = first.operator.requestsTo("/events").map(({ headers }) => headers["webhook-id"]);
      expect(new Set(told).size).toBe(2);
    } finally {
      await second.stop();
      await first.close();
    }
  });
});

describe("disableAfter on real Kafka (contract 4.5)", () => {
  test("switches off what failed for so long and says why; on again it has no reason any more", async () => {
    const id = await stage.create({ disableAfter: "1s" });
    await stage.attemptUntil(id, "timeout", async () => !(await stage.view(id)).enabled);
    const off = await stage.view(id);
    expect(off).toMatchObject({ enabled: false, disabledReason: expect.stringContaining("failed for 1s") });
    const event = await stage.untilEvent(id, "destination.disabled");
    expect(event.data).toMatchObject({ destinationId: id, reason: off.disabledReason });

    const on = await stage.control.ask(`/v1/destinations/${id}`, {
      method: "PATCH",
      body: { enabled: true },
    });
    expect(on.body).toMatchObject({ enabled: true, disabledReason: null });
  });

  test("switches nothing off that did not ask for it", async () => {
    const asking = await stage.create({ disableAfter: "1s" });
    const id = await stage.create();
    await stage.attemptUntil(asking, "timeout", async () => {
      await stage.attempted(id, "timeout");
      return !(await stage.view(asking)).enabled;
    });
    expect((await stage.view(id)).enabled).toBe(true);
  });
});
