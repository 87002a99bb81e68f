// Lists of destinations behind the real HTTP server; what they work with is held by the test.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { destination as destinationRecord } from "#support/records";
import type { DestinationConfig } from "#topics";
import { serverOf } from "../../http/fixtures/server.ts";
import type { ControlApp } from "../../http/server.ts";
import { listingOf } from "../../records/fixtures/listing.ts";
import { groupsOf } from "./configured.ts";
import type { DestinationParts } from "./parts.ts";
import { addDestinationRoutes } from "./routes.ts";

function destination(id: string, more: Partial<DestinationConfig>, createdAtMs: number): DestinationConfig {
  return destinationRecord({ id, sourceIds: [], createdAtMs, updatedAtMs: createdAtMs, ...more });
}

const DOWN = "https://down.test/services/T0KEN";

let all: DestinationConfig[];
let app: ControlApp;

beforeEach(() => {
  all = [
    destination("d1", { name: "Warehouse", sourceIds: ["shop"], labels: { team: "growth", env: "live" } }, 1),
    destination(
      "d2",
      { name: "Mail", enabled: false, sourceIds: ["shop", "blog"], webhooks: [{ url: DOWN, headers: [] }] },
      2,
    ),
    destination("d3", { name: "Ads", labels: { team: "growth: new", empty: "" } }, 3),
    destination("d4", { name: "Mail" }, 3),
    destination("d5", { name: "warehouse 2" }, 5),
  ];
});

beforeAll(async () => {
  const silent = () => undefined;
  const parts = {
    destinations: listingOf(() => all, groupsOf),
    sources: { get: (id: string) => (["shop", "blog"].includes(id) ? { id } : undefined) },
    health: {
      of: (id: string) =>
        id === "d3" ? { state: "failing", sinceMs: 0, webhooks: [], urls: [] } : undefined,
      forget: silent,
    },
    breakers: { of: (url: string) => ({ state: url === DOWN ? "open" : "closed", nextProbeAtMs: 1_500 }) },
    retryRequests: { of: silent },
    addressPolicy: silent,
    nowMs: () => 10,
  } as unknown as DestinationParts;
  app = await serverOf([(server) => addDestinationRoutes(server, parts)]);
});
afterAll(() => app.close());

async function ask(query: string) {
  const answer = await app.inject(`/v1/destinations?${query}`);
  return { status: answer.statusCode, body: answer.json() };
}

async function idsOf(query: string): Promise<string[]> {
  const { body } = await ask(query);
  return body.data.map(({ id }: { id: string }) => id);
}

describe("a list of destinations", () => {
  test.each([
    ["name=Mail", ["d2", "d4"]],
    ["enabled=false", ["d2"]],
    ["enabled=true&name=Mail", ["d4"]],
    ["search=WARE", ["d1", "d5"]],
    ["search=d3", ["d3"]],
    ["label=team", ["d1", "d3"]],
    ["label=team:growth", ["d1"]],
    ["label=team&label=env:live&enabled=true", ["d1"]],
    ["label=team&label=env:test", []],
    ["label=team:growth: new", ["d3"]],
    ["label=empty:", ["d3"]],
    ["label=constructor", []],
    ["sourceId=shop", ["d1", "d2"]],
    ["sourceId=spa_default", []],
    ["health=failing", ["d3"]],
    ["health=breaker_open", ["d2"]],
    ["health=untested&enabled=true", ["d1", "d4", "d5"]],
    ["sort=-createdAt", ["d5", "d4", "d3", "d2", "d1"]],
    ["sort=name", ["d3", "d2", "d4", "d1", "d5"]],
    ["sort=-name", ["d5", "d1", "d4", "d2", "d3"]],
  ])("?%s has %j", async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });

  test.each([
    [
      "health=heathy",
      "health",
      "must be one of untested, breaker_open, healthy, failing, recovering; did you mean healthy?",
    ],
    ["sort=age", "sort", "must be one of createdAt, -createdAt, name, -name"],
    ["enabled=yes", "enabled", "must be true or false"],
    ["search=", "search", "must not be empty"],
    ["label=Team", "label[0]", "is not of this form: key, or key:value."],
    ["label=team&label=:x", "label[1]", "is not of this form: key, or key:value."],
    ["sourceIds=shop", "sourceIds", "is not a query parameter of this route; did you mean sourceId?"],
    ["sort=name&after=MTpkMQ", "after", "is not a cursor that a list in this order gave"],
  ])("?%s is refused by name", async (query, path, message) => {
    const { status, body } = await ask(query);
    expect([status, body.errors]).toEqual([422, [{ path, message }]]);
  });

  test("says of each webhook whether its calls wait behind a breaker", async () => {
    const { body } = await ask("health=breaker_open");
    expect(body.data[0]).toMatchObject({
      webhooks: [
        {
          maskedUrl: expect.stringContaining("https://down.test/services/***#"),
          breaker: { state: "open", nextProbeAt: "1970-01-01T00:00:01.500Z" },
        },
      ],
      health: { state: "breaker_open", reasons: [] },
    });
  });

  test("of a source that is not there is 404", async () => {
    const { body, status } = await ask("sourceId=nowhere");
    expect([status, body.errors]).toEqual([
      404,
      [{ path: "sourceId", message: "there is no source nowhere" }],
    ]);
  });

  test.each(["sort=name", "sort=-name", "sort=-createdAt", "sort=createdAt"])(
    "?%s gives every entry once, page by page, while others come and go",
    async (order) => {
      const whole = await idsOf(order);
      const seen: string[] = [];
      for (let query = `${order}&limit=2`; query !== ""; ) {
        const { body } = await ask(query);
        seen.push(...body.data.map(({ id }: { id: string }) => id));
        if (seen.length === 2) {
          // The cursor's own entry is gone, and one has come at either end.
          all = all.filter(({ id }) => id !== seen[1]);
          all.unshift(destination("d0", { name: order.startsWith("sort=-") ? "zz" : "A" }, 0));
        }
        query = body.next === null ? "" : `${order}&limit=2&after=${body.next}`;
      }
      expect(seen.filter((id) => id !== "d0")).toEqual(whole);
    },
  );
});

test("a page of large filters is short: the next one goes on", async () => {
  const filter = JSON.stringify({ path: "userId", op: "eq", value: "x".repeat(200_000) });
  all = all.map((one) => ({ ...one, filter }));
  const { data, next } = (await app.inject({ url: "/v1/destinations?limit=4" })).json();
  expect([data.length, typeof next]).toEqual([2, "string"]);
});
