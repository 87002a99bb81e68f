// Tests the output for an API that answers what the test says, and for its errors.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { SERVICES } from "#contract";
import { printedBy } from "./fixtures/printed.ts";

const REASONS = {
  drops: [{ reason: "filter_off", meaning: "no filter wants it", action: "nothing" }],
  diverts: [],
};
const DELIVERIES = {
  ...{ sent: 3, passedOver: { filter_off: 1 }, dead: { permanent: 1 }, waiting: 2, delivered: 0 },
};
const TOOK = { p50Ms: 1.5, p95Ms: 2, p99Ms: 2, latency: { p50Ms: 11, p95Ms: 12, p99Ms: 13 } };
const STATS = {
  data: [{ minute: "2026-01-31T12:00:00.000Z", attempts: { success: 2 }, calls: DELIVERIES, ...TOOK }],
  total: { attempts: { success: 2, timeout: 1 }, calls: DELIVERIES, ...TOOK },
};
const FLOW = {
  ...{ accepted: 5, routed: 3, dropped: { duplicate: 2 }, failed: 0 },
  ...{ deliveries: DELIVERIES, requests: { attempts: { success: 7 }, ...TOOK } },
};
const CALL_STATS = {
  data: [
    { at: "2026-01-31T12:00:00.000Z", eventName: "Bought", ...FLOW },
    { at: "2026-01-31T12:00:00.000Z", eventName: null, others: true, ...FLOW },
    { at: "2026-01-31T12:00:00.000Z", eventName: null, ...FLOW },
  ],
  total: FLOW,
};
const ENTRY = {
  at: "2026-01-31",
  token: "ops",
  action: "created",
  resource: "source",
  resourceId: "src_1",
  isMade: true,
};
const REFUSED = {
  ...{ id: "rfc_1", at: "2026-01-31", code: "invalid_json", message: "no JSON" },
  ...{ calls: 2, index: null, userIds: ["u1", "u2"] },
};
const BETWEEN = {
  ...{ from: "2026-01-31", to: "2026-02-01" },
  sources: [{ id: "src_1", name: "Shop\u001b", refused: 1, dropped: 2, routed: 3 }],
  destinations: [
    {
      id: "dst_1",
      name: "Books",
      state: "paused",
      isStuck: true,
      sent: 3,
      dead: 1,
      waiting: 2,
      delivered: 0,
    },
  ],
  flows: [
    { sourceId: "src_1", destinationId: "dst_1", sent: 3, dead: 1, waiting: 2, delivered: 0 },
    { sourceId: "src_2", destinationId: "dst_2", sent: 0, dead: 0, waiting: null, delivered: null },
  ],
  others: { sources: 0, destinations: 7 },
};
const PROBLEM = {
  type: "urn:hookline:problem:not_found",
  title: "There is no such thing",
  status: 404,
  errors: [],
};
const NOTHING = { passedOver: null, next: [], attempts: [], deadLetters: [] };
const REQUEST = {
  startedAt: "2026-01-31T12:00:00.100Z",
  attempt: 1,
  status: 200,
  durationMs: 40,
  error: null,
};
const FAILED = { ...REQUEST, status: 503, durationMs: 4_900, error: "HTTP 503" };
const DEAD = { ...FAILED, startedAt: "2026-01-31T15:20:00.000Z", attempt: 30 };
const WAITS = { nextAttemptAt: "2026-01-31T12:00:15.000Z", attempts: 1, webhooks: [] };
const LETTER = { deadAt: "2026-01-31T15:20:05.000Z", reason: "window_over", message: "", attempts: 30 };
const CALL = {
  messageId: "m1",
  sourceId: "src_1",
  ...{ userId: "u1", anonymousId: null, type: "track", receivedAt: "2026-01-31T12:00:00.000Z" },
  accepted: [{ outcome: "routed" }, { outcome: "duplicate" }],
  destinations: [
    { ...NOTHING, destinationId: "dst_1", name: "Shop\u001b[2J", state: "delivered", attempts: [REQUEST] },
    {
      ...NOTHING,
      destinationId: "dst_2",
      name: "Books",
      state: "waiting",
      next: [WAITS],
      attempts: [FAILED],
    },
    {
      ...NOTHING,
      destinationId: "dst_3",
      name: null,
      state: "dead",
      deadLetters: [LETTER],
      attempts: [DEAD],
    },
    { ...NOTHING, destinationId: "dst_4", name: "Big", state: "passed_over", passedOver: "filter_off" },
  ],
  others: [
    {
      ...{
        userId: null,
        anonymousId: "a2",
        type: "track",
        receivedAt: null,
        accepted: [{ outcome: "event_off" }],
      },
      destinations: [{ ...NOTHING, destinationId: "dst_1", name: "Shop", state: "delivered" }],
    },
  ],
  isComplete: false,
};
const PREVIEW = {
  ...{ estimatedCount: 1042, exact: false, countError: 65, profiles: 200_000, profilesLookedAt: 20_000 },
  sample: [
    {
      userId: "u1",
      anonymousId: null,
      why: [
        { path: "definition.all[0]", holds: true, value: 2 },
        { path: "definition.all[1].not", holds: false, value: 0 },
      ],
    },
    { userId: null, anonymousId: "a1", why: [{ path: "definition", holds: true, value: "pro\u001b[2J" }] },
  ],
  unknownCalls: [],
};
const PREVIEW_OF_ACCOUNTS = {
  ...{ estimatedCount: 1, exact: false, countError: null, profiles: 3, profilesLookedAt: 3 },
  sample: [
    {
      ...{ userId: null, anonymousId: null, groupId: "acme" },
      why: [{ path: "definition", holds: true, value: 2 }],
    },
  ],
  ...{ unknownCalls: [], unknownAudiences: ["buyers"] },
};
const FILTER_TEST = {
  ...{ sent: 1, passedOver: { filter_off: 1 }, isWhole: true },
  calls: [
    {
      ...{ acceptedAt: "2026-01-31", messageId: "m2", type: "track", event: "Bought\u001b[2J", reason: null },
      why: [{ path: "filter", holds: true, value: 120 }],
    },
    {
      ...{ acceptedAt: "2026-01-30", messageId: "m1", type: "track", event: "Bought", reason: "filter_off" },
      why: [{ path: "filter", holds: false, value: "pro" }],
    },
  ],
};
const OVERLAP = {
  audience: { id: "aud_1", key: "buyers", count: 40, error: 0 },
  with: { id: "aud_2", key: "vips", count: 9, error: 0 },
  ...{ both: { count: 3, error: 0 }, exact: true, profiles: 200, profilesLookedAt: 200 },
};
const ESTIMATED = { ...OVERLAP, both: { count: 3, error: 2 }, exact: false, profiles: 900 };
const NAMED = { id: "aud_1", key: "buyers", since: "2026-01-30T12:00:00.000Z", isIncomplete: false };
const PROFILE = {
  ...{
    id: "u1",
    userId: "u1",
    anonymousId: null,
    groupId: null,
    isSuppressed: false,
    isIncomplete: true,
    deletedAt: null,
  },
  traits: [{ key: "plan", value: "pro\u001b[2J", updatedAt: "2026-01-31T12:00:00.000Z" }],
  computedTraits: [],
  audiences: [
    { ...NAMED, name: "Buyers", member: true, isIncomplete: true },
    { ...NAMED, name: "Trials", member: false },
  ],
  events: [{ type: "track", name: "A", count: 2, firstAt: "2026-01-01", lastAt: "2026-01-02" }],
  ids: { data: [{ userId: null, anonymousId: "a1" }], isComplete: false },
  calls: {
    data: [
      { messageId: "m1", sourceId: "src_1", type: "track", receivedAt: "2026-01-31", outcome: "routed" },
    ],
    from: "2026-01-20T00:00:00.000Z",
  },
};
const CURL = 'BODY=\'{"a":"\u202e"}\' &&\ncurl';
const SENT = {
  ...{ state: "delivered", bodyText: '{"a":"\u202e"}', noBody: null },
  requests: [
    {
      ...{ webhookId: "whk_1", url: "https://a.test/***", curl: CURL },
      ...{ sentAt: "2026-01-31", isAsSent: true },
      headers: { "X-Signature": "********" },
    },
  ],
};
let previewed: object = PREVIEW;
const ANSWERS: Readonly<Record<string, object>> = {
  "/v1/reasons": REASONS,
  "/v1/destinations/dst_1": {
    ...{ id: "dst_1", labels: {}, sourceIds: ["src_1", "src_2"], filter: null },
    webhooks: [
      { url: "https://a.test/\u001b", headers: {}, breaker: { state: "closed", nextProbeAt: null } },
    ],
    health: { reasons: [], lastError: { at: { most: { deeply: { nested: 1 } } } } },
  },
  "/v1/flow?minutes=5": BETWEEN,
  "/v1/sources/src_1/refused-calls?code=invalid_json&limit=50": { data: [REFUSED], next: null },
  "/v1/sources/src_1/refused-calls/rfc_1": { ...REFUSED, bodyText: "{\u001b", isBodyCut: true, noBody: null },
  "/v1/sources/src_1/refused-calls/rfc_2": { ...REFUSED, bodyText: null, noBody: "user_deleted" },
  "/v1/destinations/dst_1/stats?from=2026-01-31": STATS,
  "/v1/audit?token=ops&limit=50": { data: [ENTRY], next: null },
  get "/v1/audiences/preview"() {
    return previewed;
  },
  "/v1/computed-traits/preview": {
    ...{ estimatedCount: 12, exact: true, countError: 0, profiles: 40, profilesLookedAt: 40 },
    unknownCalls: ["Spent"],
    sample: [
      { userId: "u1", groupId: null, value: 2, calls: 2, firstAt: "2026-01-30", lastAt: "2026-01-31" },
    ],
  },
  "/v1/filters/test": FILTER_TEST,
  "/v1/audiences/aud_1/overlap?with=aud_2": OVERLAP,
  "/v1/audiences/aud_3/overlap?with=aud_2": ESTIMATED,
  "/v1/audiences/aud_1/sizes?from=2026-01-30&step=day": {
    data: [
      { at: "2026-01-30T00:00:00.000Z", size: null, entered: null, left: null },
      { at: "2026-01-31T00:00:00.000Z", size: 41, entered: 5, left: 2 },
    ],
  },
  "/v1/audiences/aud_1/members.csv": { cells: "safe" },
  "/v1/audiences/aud_1/members.csv?cells=exact": { cells: "exact" },
  "/v1/computed-traits/trt_1/values.csv?cells=exact": { cells: "exact" },
  "/v1/calls/m1": CALL,
  "/v1/calls/m1/destinations/dst_1": SENT,
  "/v1/calls/m1/destinations/dst_2?userId=u1": {
    ...{ state: "delivered", bodyText: null, noBody: "user_deleted", requests: [] },
  },
  "/v1/profiles/u1": PROFILE,
  "/v1/profiles/anon%3Asue": { ...PROFILE, isSuppressed: true, userId: null, anonymousId: "sue" },
  "/v1/sources/src_1/stats?step=hour&groupBy=eventName": CALL_STATS,
  "/v1/me": { name: "ops", scopes: ["read"], signIn: "token", session: null },
  "/v1/tokens": { data: [{ name: "ops", scopes: ["read", "write"] }] },
  "/v1/info": { version: "1.2.3", audiences: true },
};

let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer(({ url = "" }, response) => {
    const answer = ANSWERS[url];
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? PROBLEM));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

async function hookline(...args: string[]) {
  const { lines, ...ended } = await printedBy(args, { HOOKLINE_CONTROL_URL: `http://127.0.0.1:${port}` });
  return { ...ended, out: lines.join("\n") };
}

test("tokens list shows names and scopes", async () => {
  const { out } = await hookline("tokens", "list");
  expect(out.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["NAME", "SCOPES"],
    ["ops", "read,write"],
  ]);
});

test("one thing has a line for each field, of what is nested too", async () => {
  const { out } = await hookline("destinations", "show", "dst_1");
  expect(out.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["id", "dst_1"],
    ["labels", "-"],
    ["sourceIds", "src_1,src_2"],
    ["filter", "-"],
    ["webhooks[0].url", "https://a.test/"],
    ["webhooks[0].headers", "-"],
    ["webhooks[0].breaker.state", "closed"],
    ["webhooks[0].breaker.nextProbeAt", "-"],
    ["health.reasons", "-"],
    ["health.lastError.at.most", '{"deeply":{"nested":1}}'],
  ]);
});

test("audit list shows who changed what", async () => {
  const { out } = await hookline("audit", "list", "--token", "ops");
  expect(out).toMatch(
    /^AT +TOKEN +ACTION +MADE +RESOURCE +ID\n2026-01-31 +ops +created +true +source +src_1$/,
  );
});

test("a test of a filter shows how many calls it would send, and what decided each", async () => {
  const { out } = await hookline("filters", "test", "--file", "-", "--source-id", "src_1");
  expect(out.split("\n")).toEqual([
    "1 of 2 calls would be sent, filter_off 1",
    expect.stringMatching(/^ACCEPTED +MESSAGE ID +TYPE +EVENT +WHAT BECOMES OF IT +WHY$/),
    expect.stringMatching(/^2026-01-31 +m2 +track +Bought\S* +sent +filter: 120$/),
    expect.stringMatching(/^2026-01-30 +m1 +track +Bought +filter_off +filter: not "pro"$/),
  ]);
});

test("a preview shows how many, and a line of why for each of some members", async () => {
  const { out } = await hookline("audiences", "preview", "--definition", "-");
  expect(out.split("\n")).toEqual([
    "About 1042 of 200000 profiles would be members, give or take 65: 20000 were looked at.",
    "USER ID  ANONYMOUS ID  WHY",
    "u1       -             all[0]: 2; all[1].not: not 0",
    '-        a1            it: "pro\\u001b[2J"',
  ]);
});

test("a preview of accounts shows their ids, and says of which audiences not every member is known", async () => {
  previewed = PREVIEW_OF_ACCOUNTS;
  const { out, said } = await hookline("audiences", "preview", "--definition", "-");
  expect(out.split("\n")).toEqual([
    "About 1 of 3 profiles would be members: 3 were looked at.",
    "GROUP ID  WHY",
    "acme      it: 2",
  ]);
  expect(said).toContain("buyers");
});

test("a preview of a computed trait shows values, and what they are made of", async () => {
  const { out, said } = await hookline("traits", "preview", "--definition", "-");
  expect(out.split("\n")).toEqual([
    "12 of 40 profiles would have a value.",
    "USER ID  GROUP ID  VALUE  CALLS  FIRST       LAST",
    "u1       -         2      2      2026-01-30  2026-01-31",
  ]);
  expect(said).toContain("Spent");
});

test("an overlap shows the members of both, and how far estimates may be off", async () => {
  const { out, said } = await hookline("audiences", "overlap", "aud_1", "aud_2");
  expect([out.split("\n"), said]).toEqual([
    ["AUDIENCE  KEY     MEMBERS", "aud_1     buyers  40", "aud_2     vips    9", "both      -       3"],
    "",
  ]);
  const estimated = await hookline("audiences", "overlap", "aud_3", "aud_2");
  expect(estimated.out).toMatch(/GIVE OR TAKE\n.*\n.*\nboth +- +3 +2$/);
  expect(estimated.said).toContain("200 of 900");
});

test("sizes shows a line for each step", async () => {
  const { out } = await hookline("audiences", "sizes", "aud_1", "--from", "2026-01-30", "--step", "day");
  expect(out).toMatch(/^AT +SIZE +ENTERED +LEFT\n2026-01-30T\S+ +- +- +-\n2026-01-31T\S+ +41 +5 +2$/);
});

test("stats shows a line for each minute, and one for all of them", async () => {
  const { out } = await hookline("stats", "dst_1", "--from", "2026-01-31");
  expect(out).toMatch(
    /^MINUTE.*\n2026-01-31T12.* +success 2 +1\.5 +2 +2 +11 +12 +13 +3 +permanent 1 +2 +0\ntotal +success 2, timeout 1 +1\.5/,
  );
});

test("stats without a destination shows what became of calls", async () => {
  const { out } = await hookline(
    "stats",
    "--source-id",
    "src_1",
    "--step",
    "hour",
    "--group-by",
    "eventName",
  );
  expect(out).toMatch(
    /^AT +EVENTNAME.*\n2026-01-31T12\S* +Bought +5 +3 +duplicate 2 +0 +3 +filter_off 1 +permanent 1 +2 +0 +success 7 +12\n/,
  );
  expect(out).toMatch(/\n\S* +\(others\) +5.*\n\S* +\(none\) +5.*\ntotal +- +5/);
  expect(await hookline("stats", "dst_1", "--source-id", "src_1")).toMatchObject({ code: 2 });
});

test("reasons says what one means, or all", async () => {
  expect((await hookline("reasons", "filter_off")).out).toMatch(
    /drops +filter_off +no filter wants it +nothing/,
  );
  expect(JSON.parse((await hookline("reasons", "--json")).out)).toEqual(REASONS);
  expect(await hookline("reasons", "none_such")).toMatchObject({ code: 4 });
});

test("whoami says whose token is sent, and info what is asked", async () => {
  expect((await hookline("whoami")).out).toMatch(/^name +ops\nscopes +read\nsignIn +token\nsession +-$/);
  expect((await hookline("info")).out).toMatch(/^version +1\.2\.3\naudiences +true$/);
});

test("members and values in CSV have their texts exactly where that is asked for", async () => {
  const members = ["audiences", "members", "aud_1"];
  expect((await hookline(...members, "--csv")).out).toBe('{"cells":"safe"}');
  expect((await hookline(...members, "--csv", "--cells", "exact")).out).toBe('{"cells":"exact"}');
  expect((await hookline("traits", "values", "trt_1", "--cells", "exact")).out).toBe('{"cells":"exact"}');
  expect(await hookline(...members, "--cells", "raw")).toMatchObject({ code: 2 });
});

test("calls show says in a table for each user what became of the call, and why", async () => {
  const { out, said } = await hookline("calls", "show", "m1");
  const rows = out.split("\n").map((line) => line.split(/ {2,}/));
  expect(rows).toEqual([
    ["m1 of src_1"],
    [""],
    ["user u1, track, accepted 2026-01-31T12:00:00.000Z, came again 1 time"],
    ["DESTINATION", "OUTCOME", "ATTEMPTS", "STATUS", "TOOK", "AFTER", "REASON"],
    ["Shop (dst_1)", "delivered", "1", "200", "40 ms", "140 ms", "-"],
    [
      ...["Books (dst_2)", "waiting", "1", "503", "4.9 s", "5.0 s"],
      "HTTP 503; next attempt 2026-01-31T12:00:15.000Z",
    ],
    [
      ...["dst_3 (deleted)", "dead", "30", "503", "4.9 s", "3h 20m"],
      "the webhooks were asked, and failed until the window of retries was over; last: HTTP 503",
    ],
    [
      ...["Big (dst_4)", "passed_over", "0", "-", "-", "-"],
      "the destination's filter does not let the call pass",
    ],
    [""],
    ["anonymous a2, track, when it was accepted is not recorded, dropped: no destination takes this event"],
    ["DESTINATION", "OUTCOME", "ATTEMPTS", "STATUS", "TOOK", "AFTER", "REASON"],
    ["Shop (dst_1)", "delivered", "0", "-", "-", "-", "it was taken; that request has no record"],
  ]);
  expect(said).toContain("Not all of it is here");
  expect(JSON.parse((await hookline("calls", "show", "m1", "--json")).out)).toEqual(CALL);
});

test("calls sent shows body and headers, or why there are none; its commands are as they came", async () => {
  const sent = ["calls", "sent", "m1"];
  expect((await hookline(...sent, "dst_1")).out.split("\n")).toEqual([
    ...[
      "delivered",
      "",
      "POST https://a.test/*** (whk_1)",
      "as sent at 2026-01-31:",
      "X-Signature: ********",
      "",
      '{"a":""}',
    ],
  ]);
  expect((await hookline(...sent, "dst_1", "--curl")).out).toBe(CURL);
  expect((await hookline(...sent, "dst_2", "--user-id", "u1")).out).toContain("its user was deleted");
});

test("calls refused lists what was refused, and shows the body of one, or why there is none", async () => {
  const refused = ["calls", "refused", "src_1"];
  const listed = await hookline(...refused, "--code", "invalid_json");
  expect(listed.out.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["AT", "CODE", "MESSAGE", "CALLS", "USERS", "ID"],
    ["2026-01-31", "invalid_json", "no JSON", "2", "u1,u2", "rfc_1"],
  ]);
  const one = await hookline(...refused, "rfc_1");
  expect([one.out, one.said]).toEqual(["invalid_json: no JSON\n\n{", "There was more of it."]);
  expect((await hookline(...refused, "rfc_2")).out).toContain("No body: a user whom it names");
  expect(JSON.parse((await hookline(...refused, "rfc_2", "--json")).out).noBody).toBe("user_deleted");
});

test("flow shows what goes where, what is stuck, and how much is not shown", async () => {
  const { out, said } = await hookline("flow");
  expect(out.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["2026-01-31 to 2026-02-01"],
    [""],
    ["SOURCE", "REFUSED", "DROPPED", "ROUTED"],
    ["Shop (src_1)", "1", "2", "3"],
    [""],
    ["FROM", "TO", "CALLS", "DEAD", "WAITING", "DELIVERED", "STATE"],
    ["Shop (src_1)", "Books (dst_1)", "3", "1", "2", "0", "paused, stuck"],
    ["src_2", "dst_2", "0", "0", "-", "-", "-"],
  ]);
  expect(said).toBe("Not shown: 7 more destinations.");
  expect(JSON.parse((await hookline("flow", "--json")).out)).toEqual(BETWEEN);
});

test("profiles show is a page about one user, and says what it lacks", async () => {
  const { out, said } = await hookline("profiles", "show", "u1");
  const rows = out.split("\n").map((line) => line.split(/ {2,}/));
  expect(rows).toEqual([
    ["user u1"],
    [""],
    ["Traits"],
    ["KEY", "VALUE", "SINCE"],
    ["plan", expect.stringMatching(/^pro/), "2026-01-31T12:00:00.000Z"],
    [""],
    ["Computed traits"],
    ["none"],
    [""],
    ["Audiences"],
    ["NAME", "STATE", "SINCE", "INCOMPLETE", "ID"],
    ["Buyers", "in", "2026-01-30T12:00:00.000Z", "yes", "aud_1"],
    ["Trials", "left", "2026-01-30T12:00:00.000Z", "no", "aud_1"],
    [""],
    ["Events"],
    ["TYPE", "NAME", "CALLS", "FIRST", "LAST"],
    ["track", "A", "2", "2026-01-01", "2026-01-02"],
    [""],
    ["Ids that lead here"],
    ["USER ID", "ANONYMOUS ID"],
    ["-", "a1"],
    [""],
    ["Last calls"],
    ["RECEIVED", "TYPE", "OUTCOME", "SOURCE", "CALL"],
    ["2026-01-31", "track", "routed", "src_1", "m1"],
  ]);
  expect(out).not.toContain("\u001b");
  for (const lacking of ["no room for everything", "may be more ids", "back to 2026-01-20"])
    expect(said).toContain(lacking);
  expect(JSON.parse((await hookline("profiles", "show", "u1", "--json")).out)).toEqual(PROFILE);
  expect((await hookline("profiles", "show", "anon:sue")).out).toBe(
    "anonymous sue, suppressed: nothing is said of this user",
  );
});

test("with --json an error is JSON, too: the API's problem, and otherwise what the command says", async () => {
  const missing = await hookline("sources", "show", "src_none", "--json");
  expect(missing).toMatchObject({ code: 4, out: "" });
  expect(JSON.parse(missing.said)).toMatchObject({ ...PROBLEM, message: PROBLEM.title, exitCode: 4 });
  const nobody = await printedBy(["sources", "list", "--json"], {
    HOOKLINE_CONTROL_URL: "http://127.0.0.1:1",
  });
  expect(JSON.parse(nobody.said)).toEqual({
    message: expect.stringContaining("does not answer"),
    exitCode: 5,
  });
});

test.each([
  [["attempts", "list"], "missing required argument 'destinationId'"],
  [["sources", "lst"], "unknown command 'lst'\n(Did you mean list?)"],
  [["sources", "list", "--zzzzzz"], "unknown option '--zzzzzz'"],
  [["sources", "list", "--limit", "x"], expect.stringContaining("It is not a whole number above 0.")],
])("with --json an error of the command line is JSON, too: %j", async (args, message) => {
  const { code, said } = await hookline(...args, "--json");
  expect(code).toBe(2);
  expect(JSON.parse(said)).toEqual({ message, exitCode: 2 });
});

test("HOOKLINE_PORT_OFFSET moves the port that is asked, as it does for npm start", async () => {
  const offset = port - SERVICES.control.port;
  expect(offset).toBeGreaterThan(0);
  const { code } = await printedBy(["reasons"], { HOOKLINE_PORT_OFFSET: String(offset) });
  expect(code).toBe(0);
});
