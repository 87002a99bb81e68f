import { describe, expect, test } from "@jest/globals";
import { problemFields } from "#support/control-service";
import { control, useControl } from "#support/use-control";
import { DESTINATION_DEFAULTS } from "#topics";
import { patchSwitch } from "../destination.ts";
import { patchOptions } from "./patch.ts";

useControl();

const destination = { name: "D", sourceIds: [], webhooks: [{ url: "https://example.com/hook" }] };

function create(more: object) {
  return control.ask("/v1/destinations", { body: { ...destination, ...more } });
}

async function created(more: object = {}) {
  const { status, body } = await create(more);
  expect(status).toBe(201);
  return body;
}

function patch(id: string, body: object) {
  return control.ask(`/v1/destinations/${id}`, { method: "PATCH", body });
}

const LIMITED = {
  events: ["Order Completed", "Signed Up"],
  maxRequestsPerSecond: 0.5,
  maxInFlight: 3,
  disableAfter: "2h",
  standardWebhooks: true,
};

describe("options of a destination (contract 4.4, 4.5)", () => {
  test("are shown as they were given, and opened again by null", async () => {
    const { id, ...view } = await created(LIMITED);
    expect(view).toMatchObject({ ...LIMITED, shards: null, disabledReason: null });
    const unset = { events: null, maxRequestsPerSecond: null, maxInFlight: null, disableAfter: null };
    const { body } = await patch(id, { ...unset, shards: 2, standardWebhooks: false });
    expect(body).toMatchObject({ ...unset, shards: 2, standardWebhooks: false });
  });

  test("have a filter, shown as it was given; one that needs a user's history is refused with the field", async () => {
    const filter = { all: [{ event: "Bought" }, { path: "properties.total", op: "gte", value: 100 }] };
    const { id, ...view } = await created({ filter });
    expect(view.filter).toEqual(filter);
    expect((await patch(id, { name: "E" })).body.filter).toEqual(filter);
    expect((await patch(id, { filter: null })).body.filter).toBeNull();
    const past = await create({ filter: { all: [{ event: "Bought", within: "30d" }, { trait: "plan" }] } });
    expect(past.status).toBe(422);
    expect(Object.keys(problemFields(past))).toEqual(["filter.all[0].within", "filter.all[1].trait"]);
    expect(Object.keys(problemFields(await create({ filter: "event" })))).toEqual(["filter"]);
  });

  test("have filters of bounded cost for each source: with those of its other destinations they may ask only so much of a call", async () => {
    const source = async () => (await control.ask("/v1/sources", { body: { name: "Shop" } })).body.id;
    const [shop, web] = [await source(), await source()];
    const filter = (searches: number) => ({
      all: Array.from({ length: searches / 20 }, () => ({
        event: "A",
        where: Array.from({ length: 20 }, () => ({ path: "a", op: "contains", value: "x" })),
      })),
    });
    const full = () => created({ sourceIds: [shop], filter: filter(100) });
    // One after the other: control answers 503 to one that waits for 5 s for its turn.
    const made: Awaited<ReturnType<typeof full>>[] = [];
    while (made.length < 19) made.push(await full());
    const last = await created({ sourceIds: [shop], filter: filter(80) });
    const problem = (figure: number) =>
      `brings the filters of all destinations of source ${shop} to ${figure} conditions with contains or not_contains, at most 2000 are allowed`;
    const refused = await create({ sourceIds: [shop], filter: filter(40) });
    expect([refused.status, problemFields(refused)]).toEqual([422, { filter: problem(2_020) }]);
    const elsewhere = await created({ sourceIds: [web], filter: filter(60) });
    const connect = () => patch(elsewhere.id, { sourceIds: [web, shop] });
    expect(problemFields(await connect())).toEqual({ "sourceIds[1]": problem(2_040) });
    expect((await patch(last.id, { filter: filter(100), enabled: true })).status).toBe(200);
    expect((await control.ask(`/v1/destinations/${made[0].id}`, { method: "DELETE" })).status).toBe(204);
    expect((await connect()).status).toBe(200);
  });

  test("of retries are shown as they were given, and are the installation's again by null", async () => {
    const own = { retryDelays: ["1m", "2h", "5s"], retryWindow: "1d" };
    const { id, ...view } = await created({ retryDelays: ["PT1M", "2h", "5s"], retryWindow: "24h" });
    expect(view).toMatchObject(own);
    expect((await patch(id, { name: "E" })).body).toMatchObject(own);
    const unset = { retryDelays: null, retryWindow: null };
    expect((await patch(id, unset)).body).toMatchObject(unset);
  });

  test("of retries that cannot be had are refused, with what can", async () => {
    const bounds = "must be from 1s, the shortest of HOOKLINE_RETRY_DELAYS, to 1d";
    expect(problemFields(await create({ retryDelays: ["1s", "500ms", "soon"], retryWindow: "25h" }))).toEqual(
      {
        "retryDelays[1]": bounds,
        "retryDelays[2]": "is not a duration such as 30s, 10m or 2h",
        retryWindow: bounds,
      },
    );
    const { id } = await created({ retryWindow: "1h" });
    expect(problemFields(await patch(id, { retryDelays: ["2h"] }))).toEqual({
      "retryDelays[0]": "is longer than the window, retryWindow",
    });
    expect((await patch(id, { retryDelays: ["2h"], retryWindow: null })).status).toBe(200);
    const many = Array.from({ length: 21 }, () => "1s");
    expect(Object.keys(problemFields(await create({ retryDelays: many })))).toEqual(["retryDelays"]);
  });

  test("stay when a patch does not name them", async () => {
    const { id } = await created({ ...LIMITED, disableAfter: "PT90M" });
    expect((await patch(id, { name: "New" })).body).toMatchObject({ ...LIMITED, disableAfter: "90m" });
  });

  test("that are wrong are all named at once", async () => {
    const answer = await create({
      events: [],
      maxRequestsPerSecond: 0,
      maxInFlight: 0.5,
      shards: 3,
      disableAfter: "soon",
      standardWebhooks: "yes",
    });
    expect(answer.status).toBe(422);
    expect(problemFields(answer)).toEqual({
      events: "must have at least 1 entry",
      maxRequestsPerSecond: "must be more than 0",
      maxInFlight: "must be a whole number or null",
      shards: "must be at most 2, the number of partitions",
      disableAfter: "is not a duration such as 30m, 2h, 1d or PT2H",
      standardWebhooks: "must be true or false",
    });
  });

  test.each(["0s", "500ms", "31d"])("disableAfter %s is refused", async (disableAfter) => {
    expect(problemFields(await create({ disableAfter }))).toEqual({
      disableAfter: expect.stringContaining("must be"),
    });
  });

  test("a limit and more than one shard are refused together, whichever comes second", async () => {
    const refusal = { shards: expect.stringContaining("has one shard") };
    expect(problemFields(await create({ shards: 2, maxInFlight: 1 }))).toEqual(refusal);
    const { id } = await created({ shards: 2 });
    expect(problemFields(await patch(id, { maxRequestsPerSecond: 10 }))).toEqual(refusal);
    expect((await patch(id, { maxRequestsPerSecond: 10, shards: 1 })).status).toBe(200);
    expect(problemFields(await patch(id, { shards: 2 }))).toEqual(refusal);
    expect((await patch(id, { shards: 2, maxRequestsPerSecond: null })).status).toBe(200);
  });
});

describe("switching", () => {
  const off = { enabled: false, enabledAtMs: 5, disabledReason: "failed for 2h" };

  test("on says since when, and clears the reason why it was off", () => {
    expect(patchSwitch(off, true, 9)).toEqual({ enabled: true, enabledAtMs: 9, disabledReason: null });
  });

  test("on what is on already does not begin a new count", () => {
    const on = { enabled: true, enabledAtMs: 5, disabledReason: null };
    expect(patchSwitch(on, true, 9)).toEqual(on);
  });

  test("another change leaves it as it is", () => expect(patchSwitch(off, undefined, 9)).toEqual(off));
});

test("options that nobody set stay the defaults", () => {
  expect({ ...DESTINATION_DEFAULTS, ...patchOptions(DESTINATION_DEFAULTS, {}) }).toEqual(
    DESTINATION_DEFAULTS,
  );
});
