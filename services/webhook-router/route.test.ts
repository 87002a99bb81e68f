import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { whyNotTaken } from "#audiences";
import { type DestinationConfig, deliveryJob } from "#topics";
import { DestinationIndex } from "./destination-index.ts";
import { call, destination } from "./fixtures/calls.ts";
import { type Route, route as routeInTurns, whyPassedOver } from "./route.ts";

function route(...given: Parameters<typeof routeInTurns>): Route {
  const found = routeInTurns(...given);
  if (found.kind !== "filtering") return found;
  const route = found.ask(() => true);
  if (route === undefined) throw new Error("filters are left");
  return route;
}

const idsOf = (found: Route): string[] | string =>
  found.kind === "forward" ? found.destinations.map(({ id }) => id) : found.reason;

describe("a call goes", () => {
  const both = [destination("a"), destination("b", { callTypes: ["track", "page"] })];

  test("to every enabled destination of its source (contract 1.2)", () => {
    expect(idsOf(route(call(), both))).toEqual(["a", "b"]);
  });

  test("only to those that take its type (contract 4.1)", () => {
    expect(idsOf(route(call({ type: "identify" }), both))).toEqual(["a"]);
    expect(idsOf(route(call({ type: "identify" }), both.slice(1)))).toBe("call_type_off");
  });

  test("only to those that take its event; other calls than track have none (contract 4.4)", () => {
    const picky = [destination("a"), destination("b", { events: ["Signed Up", "Order Completed"] })];
    expect(idsOf(route(call({ event: "Order Completed" }), picky))).toEqual(["a", "b"]);
    expect(idsOf(route(call({ event: "order completed" }), picky))).toEqual(["a"]);
    expect(idsOf(route(call({ event: "Viewed" }), picky.slice(1)))).toBe("event_off");
    for (const type of ["page", "screen", "identify", "group", "alias", "delete"])
      expect(idsOf(route(call({ type, event: null }), picky))).toEqual(["a", "b"]);
  });

  test("only to those whose filter it passes; others are not affected (contract 4.4)", () => {
    const large = { path: "properties.total", op: "gte", value: 100 };
    const picky = [destination("a"), destination("b", { filter: JSON.stringify(large) })];
    const bought = (total: unknown) =>
      call({ body: Buffer.from(JSON.stringify({ type: "track", properties: { total } })) });
    expect(idsOf(route(bought(100), picky))).toEqual(["a", "b"]);
    expect(idsOf(route(bought(99), picky))).toEqual(["a"]);
    expect(idsOf(route(bought("100"), picky.slice(1)))).toBe("filter_off");
    const changed = { ...picky[1], filter: JSON.stringify({ not: large }) } as DestinationConfig;
    expect(idsOf(route(bought("100"), [changed]))).toEqual(["b"]);
  });

  test("by its own keys, whatever V8 has parsed before", () => {
    const quoted = { path: 'properties.12"', op: "exists" };
    const picky = destination("b", { filter: JSON.stringify(quoted) });
    JSON.parse('{"a":1,"12\\\\":2}');
    const sent = call({ body: Buffer.from('{"type":"track","properties":{"a":1,"12\\"":2}}') });
    expect([idsOf(route(sent, [picky])), whyNotTaken(sent, picky)]).toEqual([["b"], undefined]);
  });

  test("through a filter as a deletion, whatever it says (contract 5.1)", () => {
    const picky = [destination("b", { filter: JSON.stringify({ event: "Bought" }) })];
    expect(idsOf(route(call({ type: "delete", event: null }), picky))).toEqual(["b"]);
  });

  test("as a deletion to all of them, whatever types they take (contract 5.1)", () => {
    expect(idsOf(route(call({ type: "delete" }), both))).toEqual(["a", "b"]);
  });

  test("nowhere when its source has no enabled destination", () => {
    expect(idsOf(route(call(), []))).toBe("no_destination");
  });

  test.each<[Record<string, boolean>, boolean]>([
    [{}, true],
    [{ All: true }, true],
    [{ All: false }, false],
    [{ All: false, Webhooks: true }, true],
    [{ Webhooks: false }, false],
    [{ All: true, Webhooks: false }, false],
    [{ webhooks: false }, true],
    [{ All: false, webhooks: true }, false],
    [{ "Google Analytics": false }, true],
  ])("as its integrations %j say: %s (contract 1.4)", (integrations, goes) => {
    expect(route(call({ integrations }), both).kind).toBe(goes ? "forward" : "drop");
  });
});

test("what is said of one destination alone is what routing does with it", () => {
  const filters = [null, { event: "Bought" }, { path: "properties.total", op: "gte", value: 100 }];
  const wish = fc.record({
    callTypes: fc.constantFrom<string[] | null>(null, ["track"], ["identify", "page"]),
    events: fc.constantFrom<string[] | null>(null, ["Bought"]),
    filter: fc.constantFrom(...filters).map((filter) => filter && JSON.stringify(filter)),
  });
  const made = fc.record({
    type: fc.constantFrom("track", "identify", "delete"),
    event: fc.constantFrom("Bought", "Viewed"),
    integrations: fc.constantFrom({}, { All: false }),
    total: fc.constantFrom(1, 100),
  });
  fc.assert(
    fc.property(wish, made, (options, { event, integrations, total, type }) => {
      const body = Buffer.from(JSON.stringify({ type, event, properties: { total } }));
      const given = call({ type, event: type === "track" ? event : null, integrations, body });
      const to = destination("a", options);
      const found = route(given, [to]);
      expect(whyNotTaken(given, to)).toBe(found.kind === "drop" ? found.reason : undefined);
    }),
  );
});

/** What a record's bytes stand for, as a table gives both. */
function newIndex() {
  const written: DestinationConfig[] = [];
  const index = new DestinationIndex((_, kept) => written[kept.readUInt32LE()] as DestinationConfig);
  return {
    index,
    of: (sourceId: string) => index.of(sourceId),
    apply(id: string, config: DestinationConfig | undefined) {
      if (config === undefined) {
        index.delete(id);
        return;
      }
      const kept = Buffer.alloc(4);
      kept.writeUInt32LE(written.push(config) - 1);
      index.set(id, config, kept);
    },
  };
}

describe("the index of destinations", () => {
  test("follows connecting, disconnecting, switching off and deleting", () => {
    const index = newIndex();
    const of = (source: string): string[] => index.of(source).map(({ id }) => id);
    index.apply("a", destination("a", { sourceIds: ["shop", "app"] }));
    index.apply("b", destination("b"));
    expect([of("shop"), of("app"), of("other")]).toEqual([["a", "b"], ["a"], []]);
    index.apply("a", destination("a", { sourceIds: ["app"] }));
    expect([of("shop"), of("app")]).toEqual([["b"], ["a"]]);
    index.apply("b", destination("b", { enabled: false }));
    expect(of("shop")).toEqual([]);
    index.apply("a", undefined);
    expect(of("app")).toEqual([]);
  });

  test("holds the configuration of now, not of when it was connected", () => {
    const index = newIndex();
    index.apply("a", destination("a", { version: 1 }));
    index.apply("a", destination("a", { version: 2, callTypes: ["page"] }));
    expect(index.of("shop")).toMatchObject([{ version: 2, callTypes: ["page"] }]);
  });

  test("after any changes is what a new one would be", () => {
    const change = fc.record({
      // More than a short list has.
      id: fc.constantFrom(..."abcdefghijkl"),
      config: fc.option(
        fc.record({ enabled: fc.boolean(), sourceIds: fc.uniqueArray(fc.constantFrom("s", "t", "u")) }),
        { nil: undefined },
      ),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 80, size: "max" }), (changes) => {
        const index = newIndex();
        const last = new Map<string, DestinationConfig>();
        for (const { id, config } of changes) {
          const value = config === undefined ? undefined : destination(id, config);
          index.apply(id, value);
          if (value === undefined) last.delete(id);
          else last.set(id, value);
        }
        for (const source of ["s", "t", "u"]) {
          const wanted = [...last.values()].filter(
            ({ enabled, sourceIds }) => enabled && sourceIds.includes(source),
          );
          expect(new Set(index.of(source))).toEqual(new Set(wanted));
        }
        expect(new Map(index.index.entries())).toEqual(last);
        expect(index.index.size).toBe(last.size);
      }),
    );
  });
});

describe("a delivery job", () => {
  const a = destination("a");
  const b = destination("b");

  test("is the same whenever it is made of the same call and destination", () => {
    const given = call();
    expect(deliveryJob(given, a)).toEqual(deliveryJob({ ...given }, a));
    const ids = [
      deliveryJob(given, a),
      deliveryJob(given, b),
      deliveryJob({ ...given, sourceId: "app" }, a),
    ].map(({ jobId }) => jobId);
    expect(new Set(ids).size).toBe(3);
  });

  test("carries the very bytes of the call's body, and waits for its first attempt", () => {
    const given = call();
    const job = deliveryJob(given, a);
    expect(job.body).toBe(given.body);
    expect(job).toMatchObject({
      attempts: 0,
      firstAttemptAtMs: null,
      dueAtMs: 0,
      visibleAtMs: 0,
      failedAtMs: null,
      lastChanceUntilMs: null,
      pausedSinceMs: null,
      pausedMs: 0,
      destinationPausedMs: null,
      unaskedUrls: [],
      outcomes: [],
    });
  });

  test("shares its shard with the other calls of its user", () => {
    const shards = ["track", "page", "identify"].map(
      (type) => deliveryJob(call({ type, userId: "u7" }), a).shard,
    );
    expect(new Set(shards).size).toBe(1);
    const users = Array.from(
      { length: 100 },
      (_, index) => deliveryJob(call({ userId: `u${index}` }), a).shard,
    );
    expect([...new Set(users)].sort()).toEqual([0, 1, 2, 3]);
  });

  test.each<[Partial<DestinationConfig>, number[]]>([
    [{ shardWidth: 2 }, [0, 1]],
    [{ maxRequestsPerSecond: 0.5 }, [0]],
    [{ maxInFlight: 1, shardWidth: 6 }, [0]],
  ])("is dealt to the shards of a destination with %j (contract 4.4)", (options, expected) => {
    const wide = destination("a", options);
    const shards = Array.from(
      { length: 100 },
      (_, index) => deliveryJob(call({ userId: `u${index}` }), wide).shard,
    );
    expect([...new Set(shards)].sort()).toEqual(expected);
  });
});

describe("a destination that does not get a call", () => {
  const large = JSON.stringify({ path: "properties.total", op: "gte", value: 100 });
  const others = [
    destination("taking"),
    destination("type", { callTypes: ["page"], events: [], filter: large }),
    destination("event", { events: ["Signed Up"], filter: large }),
    destination("filter", { filter: large }),
  ];
  const whyOf = (one: ReturnType<typeof call>, all: readonly DestinationConfig[]) =>
    Object.fromEntries(
      whyPassedOver(one, route(one, all), all).map(({ destinationId, reason }) => [destinationId, reason]),
    );

  test("has the first reason of type, event and filter, whoever gets it", () => {
    const reasons = { type: "call_type_off", event: "event_off", filter: "filter_off" };
    expect(whyOf(call(), others)).toEqual(reasons);
    expect(whyOf(call(), others.slice(1))).toEqual(reasons);
  });

  test("has the call's own reason when its integrations switch webhooks off", () => {
    expect(whyOf(call({ integrations: { All: false } }), others.slice(2))).toEqual({
      event: "integration_off",
      filter: "integration_off",
    });
  });

  test("was not asked about a duplicate", () => {
    expect(whyPassedOver(call(), { kind: "drop", reason: "duplicate" }, others)).toEqual([]);
  });
});
