// The routes behind the real HTTP server; what they work with is held by the test.
import { afterEach, describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { START_MS } from "#support/records";
import type { Replay } from "#topics";
import { listed } from "../../deliveries/dead-letters/fixtures/listed-dead-letter.ts";
import type { DeadLetterFilter, ListedDeadLetter } from "../../deliveries/index/dead-letters-table.ts";
import { serverOf } from "../../http/fixtures/server.ts";
import type { ControlApp } from "../../http/server.ts";
import { replay, replayedCalls } from "../../records/replays/fixtures/replay.ts";
import type { ReplayRouteParts } from "./noting.ts";
import { addReplayRoutes } from "./routes.ts";

const NOW_MS = START_MS + 1_000_000;

let app: ControlApp | undefined;
afterEach(() => app?.close());

/** Dead letters of d1: j1, and raw, which is no call. */
async function setup(begun: readonly Replay[] = []) {
  const replays = new Map(begun.map((one) => [one.id, one]));
  const counted: DeadLetterFilter[] = [];
  const asked: [string, readonly number[], number][] = [];
  const stretched: [string, number | undefined][] = [];
  /** Written by another process. */
  const unread: Replay[] = [];
  const world = { isLoaded: true, isCovered: true, unread };
  const letters: Record<string, ListedDeadLetter> = {
    j1: listed(),
    raw: listed({ id: "raw", reason: "undecodable", replayable: false }),
  };
  const parts = {
    deliveries: {
      index: {
        findDeadLetter: (id: string) => letters[id],
        countDeadLetters(filter: DeadLetterFilter & { replayable?: boolean; replayId?: string }) {
          counted.push(filter);
          if (filter.replayId !== undefined) return 6;
          return filter.replayable ? 40 : 3;
        },
      },
      progress: {
        async untilCovers(topic: string, ends: readonly number[], withinMs: number) {
          asked.push([topic, ends, withinMs]);
          return world.isCovered;
        },
      },
    },
    deadLetterEnds: async () => [10, 20],
    jobStretches: async (fromMs: number | undefined) => {
      stretched.push(["jobs", fromMs]);
      return [{ partition: 3, fromOffset: 5, toOffset: 25 }];
    },
    callStretches: async (fromMs: number | undefined) => {
      stretched.push(["calls", fromMs]);
      return [{ partition: 0, fromOffset: 1, toOffset: 9 }];
    },
    destinations: {
      get: (id: string) =>
        ({
          d1: { enabled: true, sourceIds: ["s1"] },
          d2: { enabled: false, sourceIds: ["s1"] },
          alone: { enabled: true, sourceIds: [] },
        })[id],
    },
    ids: { newReplayId: () => "rpl_new" },
    replays: {
      get isLoaded() {
        return world.isLoaded;
      },
      get: (id: string) => replays.get(id),
      list: () => [...replays.values()],
      refresh: async () => {
        for (const one of world.unread.splice(0)) replays.set(one.id, one);
      },
      async putVisibly(one: Replay) {
        replays.set(one.id, one);
      },
    },
    nowMs: () => NOW_MS,
    audit: { record: async () => undefined },
    changes: { run: <T>(change: () => Promise<T>) => change() },
    host: systemHost,
  } as unknown as ReplayRouteParts;
  const server = await serverOf([(routes) => addReplayRoutes(routes, parts)]);
  app = server;
  async function ask(method: "GET" | "POST" | "DELETE", url: string, body?: object) {
    const answer = await server.inject({ method, url, ...(body === undefined ? {} : { payload: body }) });
    return { status: answer.statusCode, body: answer.json(), location: answer.headers["location"] };
  }
  return { ask, asked, counted, replays, server, stretched, world };
}

const START = "/v1/dead-letters/replay";

describe("a request for a replay", () => {
  test("of named dead letters is written with each of them once, and answered with where it is", async () => {
    const { ask, asked, replays } = await setup();
    const answer = await ask("POST", START, { ids: ["j1", "j1"], callsPerSecond: 7 });
    expect(answer).toEqual({
      status: 202,
      body: { replayId: "rpl_new", matched: 1, skipped: 0 },
      location: "/v1/replays/rpl_new",
    });
    expect(replays.get("rpl_new")).toEqual(
      replay({
        id: "rpl_new",
        ids: ["j1"],
        destinationId: null,
        callsPerSecond: 7,
        ends: [10, 20],
        matched: 1,
        createdAtMs: NOW_MS,
        updatedAtMs: NOW_MS,
      }),
    );
    expect(asked).toEqual([["deadLetters", [10, 20], 5_000]]);
  });

  test("of a destination counts what it means, calls and others, within reason and time", async () => {
    const { ask, counted, replays } = await setup();
    const [from, to] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
    const { body } = await ask("POST", START, { destinationId: "d1", reason: "permanent", from, to });
    expect(body).toMatchObject({ matched: 40, skipped: 3 });
    const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
    const filter = { destinationId: "d1", reason: "permanent", fromMs, toMs, ends: [10, 20] };
    expect(counted).toEqual([
      { ...filter, replayable: true },
      { ...filter, replayable: false },
    ]);
    const written = {
      ids: null,
      destinationId: "d1",
      reason: "permanent",
      fromMs,
      toMs,
      callsPerSecond: null,
    };
    expect(replays.get("rpl_new")).toMatchObject({ ...written, matched: 40, skipped: 3 });
  });

  test.each<[object, string, string]>([
    [{}, "ids", "is required, or destinationId"],
    [{ ids: ["j1", "raw"] }, "ids[1]", "could not be read (undecodable)"],
    [{ destinationId: "d1", from: "never" }, "from", ""],
    [{ destinationId: "d1", callsPerSecond: 0.09 }, "callsPerSecond", ""],
    [{ destinationId: "d1", callsPerSecond: 10_001 }, "callsPerSecond", ""],
    [{ destinationId: "d1", more: 1 }, "more", ""],
    [{ destinationId: "" }, "destinationId", ""],
    [{ destinationId: "d1", reason: "" }, "reason", ""],
    [{ ids: [] }, "ids", ""],
    [{ ids: [""] }, "ids[0]", ""],
    [{ ids: Array(1_001).fill("j1") }, "ids", ""],
  ])("that says %j is refused for %s", async (body, path, message) => {
    const { ask, replays } = await setup();
    const answer = await ask("POST", START, body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ path, message: expect.stringContaining(message) }]);
    expect(replays.size).toBe(0);
  });

  test.each([
    { ids: Array(1_000).fill("j1") },
    { ids: ["j1"], callsPerSecond: 0.1 },
    { ids: ["j1"], callsPerSecond: 10_000 },
  ])("at a bound is taken", async (body) => {
    const { ask } = await setup();
    expect((await ask("POST", START, body)).status).toBe(202);
  });

  test("begins nothing while the index does not know every dead letter there is", async () => {
    const { ask, replays, world } = await setup();
    world.isCovered = false;
    const { body, status } = await ask("POST", START, { ids: ["j1"] });
    expect([status, body.detail, replays.size]).toEqual([
      503,
      expect.stringContaining("nothing was begun"),
      0,
    ]);
  });
});

test("replays are listed by the destination that is meant or gets them", async () => {
  const { ask } = await setup([
    replay({ id: "own", destinationId: "d1", toDestinationId: null }),
    replay({ id: "to", destinationId: "deleted", toDestinationId: "d1" }),
  ]);
  const idsOf = async (id: string) =>
    (await ask("GET", `/v1/replays?destinationId=${id}`)).body.data.map((one: { id: string }) => one.id);
  expect(await idsOf("d1")).toEqual(["own", "to"]);
  expect(await idsOf("deleted")).toEqual(["to"]);
  expect(await idsOf("d2")).toEqual([]);
  const { body, status } = await ask("GET", "/v1/replays?destinationId=none");
  const errors = [{ path: "destinationId", message: "there is no destination none" }];
  expect([status, body.errors]).toEqual([404, errors]);
});

describe("a request for a replay of calls", () => {
  test("is written with what is to be read, and answered with where it is", async () => {
    const { ask, replays, stretched } = await setup();
    const from = "2026-01-01T00:00:00Z";
    const body = { destinationId: "d2", toDestinationId: "d1", which: "all", event: "Bought", from };
    const answer = await ask("POST", "/v1/replays", body);
    expect(answer).toEqual({
      status: 202,
      body: { replayId: "rpl_new" },
      location: "/v1/replays/rpl_new",
    });
    expect(stretched).toEqual([["jobs", Date.parse(from)]]);
    const nobody = { userId: null, anonymousId: null };
    const calls = { which: "all", sourceId: null, event: "Bought", messageId: null, ...nobody };
    expect(replays.get("rpl_new")).toEqual(
      replay({
        id: "rpl_new",
        destinationId: "d2",
        toDestinationId: "d1",
        fromMs: Date.parse(from),
        ends: [],
        calls: { ...calls, stretches: [{ partition: 3, fromOffset: 5, toOffset: 25 }] },
        createdAtMs: NOW_MS,
        updatedAtMs: NOW_MS,
      }),
    );
    const shown = (await ask("GET", "/v1/replays/rpl_new")).body;
    expect(shown.calls).toEqual({ ...calls, recordsToRead: 20, recordsRead: 0 });
  });

  test("of missing calls reads what was routed of calls", async () => {
    const { ask, replays, stretched } = await setup();
    const from = "2026-01-01T00:00:00Z";
    const body = { destinationId: "d1", which: "missing", sourceId: "s1", from };
    expect((await ask("POST", "/v1/replays", body)).status).toBe(202);
    expect(stretched).toEqual([["calls", Date.parse(from)]]);
    const stretches = [{ partition: 0, fromOffset: 1, toOffset: 9 }];
    expect(replays.get("rpl_new")?.calls).toMatchObject({ which: "missing", sourceId: "s1", stretches });
  });

  test("of missing calls is refused while another one sends such to the destination, also of another process", async () => {
    const missing = (id: string, changes: Partial<Replay> = {}): Replay =>
      replay({ id, calls: replayedCalls({ which: "missing" }), ...changes });
    const others = [missing("over", { state: "finished" }), missing("else", { destinationId: "d2" })];
    const { ask, replays, world } = await setup([...others, replay({ id: "dead" })]);
    world.unread.push(missing("first"));
    const body = { destinationId: "d1", which: "missing" };
    const { body: problem, status } = await ask("POST", "/v1/replays", body);
    expect([status, problem.detail]).toEqual([409, expect.stringMatching(/^replay first sends missing/)]);
    expect(replays.has("rpl_new")).toBe(false);
    expect((await ask("POST", "/v1/replays", { ...body, which: "all" })).status).toBe(202);
    await ask("DELETE", "/v1/replays/first");
    expect((await ask("POST", "/v1/replays", body)).status).toBe(202);
  });

  test("means delivered calls unless it says otherwise, and its progress is shown", async () => {
    const { ask, replays } = await setup();
    await ask("POST", "/v1/replays", { destinationId: "d1" });
    const begun = replays.get("rpl_new");
    if (begun !== undefined) replays.set("rpl_new", { ...begun, cursor: "3:8" });
    expect((await ask("GET", "/v1/replays/rpl_new")).body.calls).toMatchObject({
      which: "delivered",
      recordsToRead: 20,
      recordsRead: 4,
    });
  });

  test.each<[object, string, string]>([
    [{}, "destinationId", "is required"],
    [{ destinationId: "d2" }, "destinationId", "destination d2 is switched off"],
    [{ destinationId: "d1", toDestinationId: "d3" }, "toDestinationId", "there is no destination d3"],
    [{ destinationId: "d1", which: "waiting" }, "which", "delivered, dead, all, missing"],
    [{ destinationId: "d2", which: "missing" }, "destinationId", "destination d2 is switched off"],
    [{ destinationId: "d1", which: "missing", toDestinationId: "d1" }, "toDestinationId", "cannot be given"],
    [
      { destinationId: "d1", which: "missing", sourceId: "s2" },
      "sourceId",
      "not connected to destination d1",
    ],
    [{ destinationId: "alone", which: "missing" }, "destinationId", "connected to no source"],
    [{ destinationId: "d1", from: "never" }, "from", ""],
    [{ destinationId: "d1", ids: ["j1"] }, "ids", ""],
  ])("that says %j is refused for %s", async (body, path, message) => {
    const { ask, replays } = await setup();
    const answer = await ask("POST", "/v1/replays", body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ path, message: expect.stringContaining(message) }]);
    expect(replays.size).toBe(0);
  });
});

describe("replays that there are", () => {
  test("are listed page by page", async () => {
    const { ask } = await setup(["a", "b", "c"].map((id) => replay({ id })));
    const first = (await ask("GET", "/v1/replays?limit=2")).body;
    expect(first.data.map(({ id }: Replay) => id)).toEqual(["a", "b"]);
    const second = (await ask("GET", `/v1/replays?limit=2&after=${first.next}`)).body;
    expect([second.data.map(({ id }: Replay) => id), second.next]).toEqual([["c"], null]);
  });

  test("are shown with how far they are and what died again", async () => {
    const counts = { matched: 9, replayed: 5, skipped: 2, expired: 1 };
    const { ask, counted } = await setup([
      replay({ id: "a", ...counts, fromMs: START_MS, updatedAtMs: NOW_MS }),
      replay({ id: "b", callsPerSecond: 3, ids: ["j1"], destinationId: null, state: "finished" }),
    ]);
    expect(await ask("GET", "/v1/replays/a")).toMatchObject({
      status: 200,
      body: {
        id: "a",
        state: "running",
        ...counts,
        deadAgain: 6,
        callsPerSecond: 200,
        ids: null,
        destinationId: "d1",
        reason: null,
        from: new Date(START_MS).toISOString(),
        to: null,
        createdAt: new Date(START_MS).toISOString(),
        updatedAt: new Date(NOW_MS).toISOString(),
      },
    });
    expect(counted).toEqual([{ replayId: "a" }]);
    expect((await ask("GET", "/v1/replays/b")).body).toMatchObject({
      callsPerSecond: 3,
      ids: ["j1"],
      destinationId: null,
      state: "finished",
    });
  });

  test("are cancelled while they run, and once", async () => {
    const { ask, replays } = await setup([replay({ id: "a", replayed: 5 })]);
    const first = await ask("DELETE", "/v1/replays/a");
    expect([first.status, first.body.state, first.body.deadAgain]).toEqual([202, "cancelled", 6]);
    expect(replays.get("a")).toMatchObject({ state: "cancelled", replayed: 5, updatedAtMs: NOW_MS });
    const second = await ask("DELETE", "/v1/replays/a");
    expect([second.status, second.body.detail]).toEqual([409, "the replay is cancelled"]);
  });

  test("are not cancelled where their owner, another process, has just ended them", async () => {
    const { ask, replays, world } = await setup([replay({ id: "a", replayed: 8 })]);
    const finished = replay({ id: "a", state: "finished", replayed: 10 });
    world.unread.push(finished);
    const { body, status } = await ask("DELETE", "/v1/replays/a");
    expect([status, body.detail, replays.get("a")]).toEqual([409, "the replay is finished", finished]);
  });

  test.each(["GET", "DELETE"] as const)(
    "that are not there are 404, or 503 before all are known: %s",
    async (method) => {
      const { ask, world } = await setup();
      const none = await ask(method, "/v1/replays/none");
      expect([none.status, none.body.detail]).toEqual([404, "there is no replay none"]);
      world.isLoaded = false;
      expect((await ask(method, "/v1/replays/none")).status).toBe(503);
    },
  );
});
