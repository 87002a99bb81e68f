// Members over HTTP, on real Kafka: the processor's records are written by the test.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { applyEvent, compileSet, createProfile, type Profile, parseAudience } from "#audiences";
import { type ControlService, problemFields, startControl } from "#support/control-service";
import { until } from "#support/until";
import { type SimulatedProcessor, startProcessor } from "./fixtures/processor.ts";

let control: ControlService;
let processor: SimulatedProcessor;

beforeAll(async () => {
  control = await startControl();
  processor = await startProcessor(control);
}, 180_000);
afterAll(async () => {
  await processor?.close();
  await control?.stop();
});

const DAY_MS = 86_400_000;
const DEFINITION = {
  all: [
    { event: "Order", within: "30d", count: { op: "gte", value: 2 } },
    { not: { trait: "plan", op: "eq", value: "free" } },
  ],
};
const SEEN = { timeoutMs: 30_000, what: "the profiles to be seen" };

/** As the processor would have it after so many orders just now. */
function profileAfter(
  audienceId: string,
  userId: string,
  { orders, nowMs }: { orders: number; nowMs: number },
): Profile {
  const reading = parseAudience(DEFINITION, { audiences: new Map() });
  if (!reading.ok) throw new Error("refused");
  const computation = {
    id: audienceId,
    key: "k",
    generation: 1,
    state: "live",
    includeAnonymous: false,
  } as const;
  const set = compileSet([{ ...computation, definition: reading.definition }]);
  const profile = createProfile(userId, 0);
  for (let offset = 0; offset < orders; offset += 1) {
    const ids = { sourceId: "s", messageId: `m${offset}`, userId, anonymousId: null };
    const call = { ...ids, type: "track", name: "Order", timestampMs: nowMs, receivedAtMs: nowMs, body: {} };
    applyEvent(profile, { kind: "call", call }, set, { offset, nowMs });
  }
  return profile;
}

test("a user is explained, all are listed in pages, and exported", async () => {
  const body = { name: "Twice", definition: DEFINITION };
  const { id } = (await control.ask("/v1/audiences", { body })).body;
  const members = `/v1/audiences/${id}/members`;
  const ask = async (query: string) => (await control.ask(`${members}${query}`)).body;
  const nowMs = Date.now();
  const names = ["ann", 'b"o,b', "cid", "dora"];
  await processor.keep(
    ...names.map((name) => profileAfter(id, name, { orders: 2, nowMs })),
    profileAfter(id, "once", { orders: 1, nowMs }),
  );
  await until(async () => (await ask("?limit=200")).data.length === 4, SEEN);

  const since = new Date(nowMs).toISOString();
  const ends = new Date(nowMs + 30 * DAY_MS).toISOString();
  expect(await ask("?userId=ann")).toEqual({
    member: true,
    since,
    until: ends,
    leaves: [
      { path: "definition.all[0]", holds: true, value: 2, until: ends },
      { path: "definition.all[1].not", holds: false, value: null },
    ],
  });
  expect(await ask("?userId=once")).toMatchObject({
    member: false,
    leaves: [{ holds: false, value: 1 }, {}],
  });
  expect(await ask("?userId=nobody")).toMatchObject({
    member: false,
    leaves: [{ holds: false, value: 0 }, {}],
  });

  const listed: string[] = [];
  for (let query = "?limit=3"; query !== ""; ) {
    const { data, next } = await ask(query);
    listed.push(...data.map(({ userId }: { userId: string }) => userId));
    query = next === null ? "" : `?limit=3&after=${next}`;
  }
  expect(listed.sort()).toEqual([...names].sort());

  const exported = await control.ask(`${members}.csv`);
  expect(exported.headers.get("content-type")).toMatch(/^text\/csv/);
  const [header, ...rows] = exported.text.split("\r\n");
  expect(header).toBe("userId,anonymousId,since");
  expect(rows.sort()).toEqual(["", `"b""o,b",,${since}`, `ann,,${since}`, `cid,,${since}`, `dora,,${since}`]);

  const wrong = await control.ask(`${members}?after=nonsense`);
  expect([wrong.status, Object.keys(problemFields(wrong))]).toEqual([422, ["after"]]);
  expect((await control.ask("/v1/audiences/aud_none/members")).status).toBe(404);
});
