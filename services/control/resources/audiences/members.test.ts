// Members over HTTP, on real Kafka: the processor's records are written by the test.
import { expect, test } from "@jest/globals";
import {
  applyEvent,
  type ComputationInput,
  compileSet,
  createProfile,
  type Profile,
  parseAudience,
  parseComputedTrait,
} from "#audiences";
import { problemFields } from "#support/control-service";
import { until } from "#support/until";
import { control, processor, useProcessor } from "./fixtures/use-processor.ts";

useProcessor();

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
  return profileOf(
    userId,
    { ...computationOf(audienceId), definition: reading.definition },
    { orders, nowMs },
  );
}

const computationOf = (id: string) =>
  ({ id, key: "k", generation: 1, state: "live", includeAnonymous: false }) as const;

function profileOf(
  userId: string,
  computation: ComputationInput,
  { orders, nowMs }: { orders: number; nowMs: number },
): Profile {
  const set = compileSet([computation]);
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
  const names = ["ann", 'b"o,b', "cid", "=cmd|' /C calc'!A0"];
  await processor.keep(
    ...names.map((name) => profileAfter(id, name, { orders: 2, nowMs })),
    profileAfter(id, "once", { orders: 1, nowMs }),
  );
  await until(async () => (await ask("?limit=200")).data.length === 4, SEEN);

  const since = new Date(nowMs).toISOString();
  const ends = new Date(nowMs + 30 * DAY_MS).toISOString();
  expect(await ask("?userId=ann")).toEqual({
    kind: "membership",
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
  const safe = `"'=cmd|' /C calc'!A0",,${since}`;
  expect(rows.sort()).toEqual(["", safe, `"b""o,b",,${since}`, `ann,,${since}`, `cid,,${since}`]);
  const exact = await control.ask(`${members}.csv?cells=exact`);
  expect(exact.text.split("\r\n").sort()).toContain(`"=cmd|' /C calc'!A0",,${since}`);

  const wrong = await control.ask(`${members}?after=nonsense`);
  expect([wrong.status, Object.keys(problemFields(wrong))]).toEqual([422, ["after"]]);
  expect((await control.ask("/v1/audiences/aud_none/members")).status).toBe(404);
});

test("values of a computed trait: of one user, in pages, and exported", async () => {
  const definition = { event: "Order", reduce: { fn: "count" } };
  const { id } = (await control.ask("/v1/computed-traits", { body: { name: "Orders", definition } })).body;
  const values = `/v1/computed-traits/${id}/values`;
  const ask = async (query: string) => (await control.ask(`${values}${query}`)).body;
  const reading = parseComputedTrait(definition);
  if (!reading.ok) throw new Error("refused");
  const computation = { ...computationOf(id), definition: reading.definition };
  const nowMs = Date.now();
  const names = ["v-ann", "v-bob", 'v"c"'];
  await processor.keep(
    ...names.map((name, index) => profileOf(name, computation, { orders: index + 1, nowMs })),
    profileOf("v-none", computation, { orders: 0, nowMs }),
  );
  await until(async () => (await ask("?limit=200")).data.length === 3, SEEN);

  // All calls are of one moment; the value changes with each of them.
  const sinceOf = (changes: number) => new Date(nowMs + changes - 1).toISOString();
  expect(await ask("?userId=v-bob")).toEqual({
    kind: "value",
    userId: "v-bob",
    groupId: null,
    value: 2,
    since: sinceOf(2),
  });
  expect(await ask("?userId=v-none")).toEqual({
    kind: "value",
    userId: "v-none",
    groupId: null,
    value: null,
  });
  const first = await ask("?limit=2");
  const second = await ask(`?limit=2&after=${first.next}`);
  const listed: { userId: string; value: unknown }[] = [...first.data, ...second.data];
  expect(first.data).toHaveLength(2);
  expect(listed.map(({ userId, value }) => `${userId} ${value}`).sort()).toEqual([
    'v"c" 3',
    "v-ann 1",
    "v-bob 2",
  ]);
  const exported = await control.ask(`${values}.csv`);
  const [header, ...rows] = exported.text.split("\r\n");
  expect([header, exported.headers.get("content-type")]).toEqual([
    "userId,value,since",
    expect.stringMatching(/^text\/csv/),
  ]);
  expect(rows.sort()).toEqual([
    "",
    `"v""c""",3,${sinceOf(3)}`,
    `v-ann,1,${sinceOf(1)}`,
    `v-bob,2,${sinceOf(2)}`,
  ]);
  expect(problemFields(await control.ask(`${values}?after=nonsense`))).toHaveProperty("after");
  const { id: audience } = (await control.ask("/v1/audiences", { body: { name: "No Trait", kind: "list" } }))
    .body;
  expect((await control.ask(`/v1/computed-traits/${audience}/values`)).status).toBe(404);
});

test("of accounts the same is said, by their groupId; a question by the other id is refused", async () => {
  const definition = { of: "accounts", event: "Order", count: { op: "gte", value: 2 } };
  const { body: made } = await control.ask("/v1/audiences", { body: { name: "Busy", definition } });
  const counted = { of: "accounts", event: "Order", reduce: { fn: "count" } };
  const trait = (await control.ask("/v1/computed-traits", { body: { name: "Busy By", definition: counted } }))
    .body;
  expect(made).toMatchObject({ definition, partialHistory: true, coverageFrom: expect.any(String) });
  const [audience, value] = [
    parseAudience(definition, { audiences: new Map() }),
    parseComputedTrait(counted),
  ];
  if (!audience.ok || !value.ok) throw new Error("refused");
  const nowMs = Date.now();
  const busy = { ...computationOf(made.id), definition: audience.definition };
  const profile = profileOf("group:acme", busy, { orders: 2, nowMs });
  const result = profileOf(
    "group:acme",
    { ...computationOf(trait.id), definition: value.definition },
    { orders: 2, nowMs },
  );
  for (const [id, one] of result.results) profile.results.set(id, one);
  await processor.keep(profile, profileOf("busy-user", busy, { orders: 2, nowMs }));
  const ask = async (path: string) => await control.ask(path);
  const members = `/v1/audiences/${made.id}/members`;
  const values = `/v1/computed-traits/${trait.id}/values`;
  await until(async () => (await ask(members)).body.data.length === 1, SEEN);
  const since = (changes: number) => new Date(nowMs + changes - 1).toISOString();
  const account = { groupId: "acme", userId: null };
  expect((await ask(members)).body.data).toEqual([{ ...account, anonymousId: null, since: since(1) }]);
  expect((await ask(`${members}.csv`)).text).toBe(`groupId,since\r\nacme,${since(1)}\r\n`);
  expect((await ask(`${members}?groupId=acme`)).body).toMatchObject({ member: true, leaves: [{ value: 2 }] });
  expect((await ask(values)).body.data).toEqual([{ ...account, value: 2, since: since(2) }]);
  expect((await ask(`${values}?groupId=acme`)).body).toMatchObject({ ...account, value: 2 });
  expect((await ask(`${values}.csv`)).text).toBe(`groupId,value,since\r\nacme,2,${since(2)}\r\n`);
  for (const path of [members, values]) {
    const wrong = await ask(`${path}?userId=acme`);
    expect([wrong.status, Object.keys(problemFields(wrong))]).toEqual([422, ["userId"]]);
  }
  const preview = await control.ask("/v1/audiences/preview", { body: { definition } });
  expect(preview.body).toMatchObject({
    estimatedCount: 1,
    sample: [{ groupId: "acme" }],
    partialHistory: true,
    exact: false,
  });
  const profileAnswer = await ask("/v1/profiles/group%3Aacme");
  expect(profileAnswer.body).toMatchObject({
    ...{ ...account, anonymousId: null, events: [{ name: "Order", count: 2 }] },
    audiences: [{ id: made.id, member: true }],
  });
});

test("a preview counts who would be a member, and says what of the past is not known", async () => {
  const asked = { event: "Preview" };
  const ask = async (definition: unknown) =>
    (await control.ask("/v1/audiences/preview", { body: { definition } })).body;
  const before = (await control.ask("/v1/audiences?limit=200")).body.data.length;
  const reading = parseAudience({ event: "Other" }, { audiences: new Map() });
  if (!reading.ok) throw new Error("refused");
  const other = { ...computationOf("other"), definition: reading.definition };
  const nowMs = Date.now();
  const users = Array.from({ length: 15 }, (_, index) => `p${index}`);
  const profiles = users.map((user) => profileOf(user, other, { orders: 0, nowMs }));
  for (const [index, profile] of profiles.entries()) {
    const ids = { sourceId: "s", messageId: `p${index}`, userId: profile.id, anonymousId: null };
    const call = {
      ...ids,
      type: "track",
      name: "Preview",
      timestampMs: nowMs,
      receivedAtMs: nowMs,
      body: {},
    };
    applyEvent(profile, { kind: "call", call }, compileSet([other]), { offset: 10, nowMs });
  }
  await processor.keep(...profiles);
  await until(async () => (await ask(asked)).estimatedCount === 15, SEEN);

  const preview = await ask(asked);
  expect(preview).toMatchObject({
    exact: true,
    countError: 0,
    partialHistory: false,
    unknownCalls: [],
    preparation: { eventsToRead: 0, seconds: 1 },
  });
  const why = [{ path: "definition", holds: true, value: 1 }];
  expect(preview.sample.map((member: object) => ({ ...member, userId: null }))).toEqual(
    Array.from({ length: 10 }, () => ({ userId: null, anonymousId: null, groupId: null, why })),
  );
  expect([
    preview.profilesLookedAt,
    new Set(preview.sample.map(({ userId }: { userId: string }) => userId)).size,
  ]).toEqual([preview.profiles, 10]);
  expect(
    await ask({ all: [asked, { event: "Preview", within: "30d", count: { op: "gte", value: 2 } }] }),
  ).toMatchObject({
    estimatedCount: 0,
    exact: false,
    countError: null,
    partialHistory: true,
    unknownCalls: ["Preview"],
  });
  const wrong = await control.ask("/v1/audiences/preview", {
    body: { definition: { event: "A", within: "1s" }, name: "x" },
  });
  expect([wrong.status, Object.keys(problemFields(wrong)).sort()]).toEqual([
    422,
    ["definition.within", "name"],
  ]);
  expect((await control.ask("/v1/audiences?limit=200")).body.data).toHaveLength(before);
});

test("a preview of a computed trait counts who would have a value, and says what it is made of", async () => {
  const ask = async (definition: unknown) =>
    await control.ask("/v1/computed-traits/preview", { body: { definition } });
  const counted = { event: "Spent", reduce: { fn: "count" } };
  const before = (await control.ask("/v1/computed-traits?limit=200")).body.total;
  const reading = parseAudience({ event: "Other" }, { audiences: new Map() });
  if (!reading.ok) throw new Error("refused");
  const other = { ...computationOf("other"), definition: reading.definition };
  const nowMs = Date.now();
  const profiles = Array.from({ length: 12 }, (_, at) => profileOf(`t${at}`, other, { orders: 0, nowMs }));
  for (const profile of profiles)
    for (const [at, ageMs] of [DAY_MS, 0].entries()) {
      const ids = {
        sourceId: "s",
        messageId: `${profile.id} ${ageMs}`,
        userId: profile.id,
        anonymousId: null,
      };
      const call = {
        ...ids,
        type: "track",
        name: "Spent",
        timestampMs: nowMs - ageMs,
        receivedAtMs: nowMs,
        body: {},
      };
      applyEvent(profile, { kind: "call", call }, compileSet([other]), { offset: 20 + at, nowMs });
    }
  await processor.keep(...profiles);
  await until(async () => (await ask(counted)).body.estimatedCount === 12, SEEN);

  const { body } = await ask(counted);
  expect(body).toMatchObject({ exact: true, countError: 0, unknownCalls: [], partialHistory: false });
  const [first, last] = [nowMs - DAY_MS, nowMs].map((atMs) => new Date(atMs).toISOString());
  const why = { value: 2, calls: 2, firstAt: first, lastAt: last };
  expect(body.sample.map((one: object) => ({ ...one, userId: "t" }))).toEqual(
    Array.from({ length: 10 }, () => ({ userId: "t", anonymousId: null, groupId: null, ...why })),
  );
  expect((await ask({ event: "Spent", reduce: { fn: "sum", path: "properties.total" } })).body).toMatchObject(
    {
      ...{ estimatedCount: 0, exact: false, countError: null, unknownCalls: ["Spent"], partialHistory: true },
    },
  );
  const wrong = await ask({ event: "Spent", reduce: { fn: "sum" } });
  expect([wrong.status, Object.keys(problemFields(wrong))]).toEqual([422, ["definition.reduce.path"]]);
  expect((await control.ask("/v1/computed-traits?limit=200")).body.total).toBe(before);
});

test("the overlap of two audiences counts the members of each, and of both", async () => {
  const body = (name: string) => ({ name, definition: DEFINITION });
  const [first, second] = [
    (await control.ask("/v1/audiences", { body: body("Overlap One") })).body,
    (await control.ask("/v1/audiences", { body: body("Overlap Two") })).body,
  ];
  const nowMs = Date.now();
  const orders = 2;
  const one = profileAfter(first.id, "only-one", { orders, nowMs });
  const both = profileAfter(first.id, "in-both", { orders, nowMs });
  for (const [id, result] of profileAfter(second.id, "in-both", { orders, nowMs }).results)
    both.results.set(id, result);
  const left = profileAfter(second.id, "left", { orders, nowMs });
  for (const result of left.results.values()) result.text = "false";
  await processor.keep(one, both, left);
  const ask = async (query: string) => await control.ask(`/v1/audiences/${first.id}/overlap${query}`);
  const overlap = async () => (await ask(`?with=${second.id}`)).body;
  await until(async () => (await overlap()).both?.count === 1, SEEN);
  const { profiles, profilesLookedAt, ...found } = await overlap();
  expect(profilesLookedAt).toBe(profiles);
  expect(found).toEqual({
    audience: { id: first.id, key: "overlap_one", count: 2, error: 0 },
    with: { id: second.id, key: "overlap_two", count: 1, error: 0 },
    both: { count: 1, error: 0 },
    exact: true,
  });
  for (const query of [`?with=${first.id}`, "?with=aud_none", ""]) {
    const refused = await ask(query);
    expect([refused.status, Object.keys(problemFields(refused))]).toEqual([422, ["with"]]);
  }
  expect((await control.ask(`/v1/audiences/aud_none/overlap?with=${first.id}`)).status).toBe(404);
});
