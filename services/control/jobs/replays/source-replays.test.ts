// The route behind the real HTTP server; what it works with is held by the test.

import { afterEach, describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { Replay } from "#topics";
import { serverOf } from "../../http/fixtures/server.ts";
import type { ControlApp } from "../../http/server.ts";
import { replay, replayedCalls } from "../../records/replays/fixtures/replay.ts";
import { ofSource } from "../../resources/destinations/configured.ts";
import { addSourceReplayRoute, type SourceReplayParts } from "./source-replays.ts";

let app: ControlApp | undefined;
afterEach(() => app?.close());

const NOTHING = { skipped: 0, recordsRead: 1, recordsToRead: 1 };

interface Connected {
  readonly id: string;
  readonly enabled: boolean;
  readonly sourceIds: readonly string[];
}

async function setup(destinations: readonly Connected[], running: readonly Replay[] = []) {
  const written: Replay[] = [];
  const noted: string[] = [];
  let made = 0;
  const parts = {
    sources: { get: (id: string) => (id === "shop" ? { id } : undefined) },
    destinations: {
      in: (group: string) => destinations.filter(({ sourceIds }) => sourceIds.map(ofSource).includes(group)),
      get: (id: string) => destinations.find((one) => one.id === id),
    },
    replays: {
      putVisibly: async (replay: Replay) => void written.push(replay),
      refresh: async () => undefined,
      list: () => running,
    },
    changes: { run: <T>(change: () => Promise<T>) => change() },
    countCalls: async ({ destinationId }: Replay) => ({
      ...NOTHING,
      calls: 7,
      atLeast: 7,
      of: destinationId,
    }),
    host: systemHost,
    jobStretches: async () => [{ partition: 0, fromOffset: 0, toOffset: 2 }],
    callStretches: async () => [],
    ids: { newReplayId: () => `rpl_${++made}` },
    nowMs: () => Date.parse("2026-02-01"),
    audit: { record: async ({ resourceId }: { resourceId: string }) => void noted.push(resourceId) },
  } as unknown as SourceReplayParts;
  const server = await serverOf([(routes) => addSourceReplayRoute(routes, parts)]);
  app = server;
  const ask = async (id: string, body?: object) => {
    const answer = await server.inject({
      method: "POST",
      url: `/v1/sources/${id}/replays`,
      ...(body === undefined ? {} : { payload: body }),
    });
    return { status: answer.statusCode, body: answer.json() };
  };
  return { ask, noted, written };
}

const ON = { enabled: true, sourceIds: ["shop"] };
const SHOP: readonly Connected[] = [
  { id: "d1", enabled: true, sourceIds: ["shop", "blog"] },
  { id: "d2", enabled: false, sourceIds: ["shop"] },
  { id: "d3", enabled: true, sourceIds: ["blog"] },
  { id: "d4", enabled: true, sourceIds: ["shop"] },
];

describe("a replay of a source's calls", () => {
  test("is one replay for each destination that is connected and on, narrowed as asked", async () => {
    const { ask, noted, written } = await setup(SHOP);
    const asked = { event: "Bought", from: "2026-01-31T12:00Z", which: "all", callsPerSecond: 5 };
    expect(await ask("shop", asked)).toEqual({
      status: 202,
      body: {
        replays: [
          { destinationId: "d1", replayId: "rpl_1" },
          { destinationId: "d4", replayId: "rpl_2" },
        ],
        skipped: [{ destinationId: "d2", message: "is switched off: switch it on first" }],
      },
    });
    expect(written).toMatchObject(
      ["d1", "d4"].map((destinationId) => ({
        destinationId,
        toDestinationId: null,
        callsPerSecond: 5,
        fromMs: Date.parse("2026-01-31T12:00Z"),
        calls: { which: "all", sourceId: "shop", event: "Bought", messageId: null },
      })),
    );
    expect(noted).toEqual(["rpl_1", "rpl_2"]);
  });

  test("skips a destination that is switched off while others are begun: what was begun is not called refused", async () => {
    const late = { ...ON, id: "d4" };
    const { ask, written } = await setup([...SHOP.slice(0, 3), late]);
    // Somebody switches d4 off while the replay of d1 is written.
    written.push = (replay) => Object.assign(late, { enabled: false }) && written.unshift(replay);
    const { body, status } = await ask("shop");
    expect([status, body.replays]).toEqual([202, [{ destinationId: "d1", replayId: "rpl_1" }]]);
    const message = "destination d4 is switched off: switch it on first";
    expect(body.skipped).toContainEqual({ destinationId: "d4", message });
    expect(written.map(({ id }) => id)).toEqual(["rpl_1"]);
  });

  test("of missing calls skips a destination that another one sends such to; it is refused where there is no other", async () => {
    const running = replay({ id: "rpl_0", calls: replayedCalls({ which: "missing" }) });
    const { ask, written } = await setup(SHOP, [running]);
    const { body, status } = await ask("shop", { which: "missing" });
    expect([status, body.replays]).toEqual([202, [{ destinationId: "d4", replayId: "rpl_2" }]]);
    const message = expect.stringContaining("replay rpl_0 sends missing calls to destination d1");
    expect(body.skipped).toContainEqual({ destinationId: "d1", message });
    expect(written.map(({ destinationId }) => destinationId)).toEqual(["d4"]);
    await app?.close();
    const alone = await (await setup(SHOP.slice(0, 2), [running])).ask("shop", { which: "missing" });
    expect([alone.status, alone.body.detail]).toEqual([409, message]);
  });

  test("needs no body: delivered calls are meant then", async () => {
    const { ask, written } = await setup(SHOP);
    expect((await ask("shop")).status).toBe(202);
    expect(written[0]?.calls).toMatchObject({ which: "delivered", sourceId: "shop", event: null });
  });

  test.each([
    { why: "a source that is not there", id: "none", status: 404, detail: /there is no source none/ },
    { why: "no destination that is on", destinations: SHOP.slice(1, 3), status: 409, detail: /switched on/ },
    {
      why: "more destinations than are taken at once",
      destinations: Array.from({ length: 101 }, (_, index) => ({ ...ON, id: `d${index}` })),
      status: 409,
      detail: /at most 100/,
    },
    {
      why: "a range without time",
      body: { from: "2026-01-02", to: "2026-01-01" },
      status: 422,
      detail: /refused: to$/,
    },
    {
      why: "a time that has not come",
      body: { from: "2026-02-02" },
      status: 422,
      detail: /refused: from$/,
    },
    { why: "a destination of its own", body: { destinationId: "d1" }, status: 422, detail: /destinationId/ },
  ])("is refused for $why, and nothing is begun", async (refusal) => {
    const { body = {}, destinations = SHOP, detail, id = "shop", status } = refusal;
    const { ask, written } = await setup(destinations);
    const answer = await ask(id, body);
    expect([answer.status, answer.body.detail]).toEqual([status, expect.stringMatching(detail)]);
    expect(written).toEqual([]);
  });
});

test("a dry run counts for each destination, and begins nothing", async () => {
  const { ask, noted, written } = await setup(SHOP);
  expect(await ask("shop", { dryRun: true })).toEqual({
    status: 200,
    body: {
      destinations: ["d1", "d4"].map((destinationId) => ({
        destinationId,
        ...NOTHING,
        calls: 7,
        atLeast: 7,
      })),
      skipped: [{ destinationId: "d2", message: expect.any(String) }],
    },
  });
  expect([noted, written]).toEqual([[], []]);
});
