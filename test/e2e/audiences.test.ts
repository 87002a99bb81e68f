// Audiences and computed traits through the whole product, on real Kafka (contract 8).
import { beforeAll, expect, test } from "@jest/globals";
import { requestJson } from "#support/api";
import { startReceiver } from "#support/receiver";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";

const SECRET = "s3cr3t";
const PATH = "/members";
const CONNECTED = "a destination has what audiences had for it";

let writeKey: string;

useDeployment(() => ({}), { secret: SECRET });

beforeAll(async () => {
  await deployment.addProcess("audience-processor");
  writeKey = (await deployment.control.createSource()).writeKeys[0];
  await deployment.control.createDestination({
    sourceIds: ["spa_default"],
    webhooks: [{ url: receiver.url(PATH) }],
    sharedSecret: SECRET,
  });
  await untilConnected();
}, 180_000);

/** What changes while a destination is given the members that there are may come twice to it (decision 52). */
const untilConnected = () =>
  until(() => deployment.service("control").logs.some(({ msg }) => msg === CONNECTED), {
    timeoutMs: 60_000,
    what: "the destination to have the members that there were",
  });

interface Status {
  readonly id: string;
  readonly status: string;
  readonly members?: number;
}

const ask = async (path: string, request: object = {}): Promise<Status> =>
  (await requestJson<Status>(`${deployment.controlUrl()}${path}`, request)).body;

/** Asks until the answer is as expected: control's copy of the profiles may be a second or two behind the webhooks. */
async function untilAnswered(path: string, expected: object, request: object = {}): Promise<void> {
  let difference: unknown;
  const isExpected = async () => {
    const answer = await ask(path, request);
    try {
      expect(answer).toMatchObject(expected);
      return true;
    } catch (failed) {
      difference = failed;
      return false;
    }
  };
  await until(isExpected, { timeoutMs: 30_000, what: path }).catch((late: Error) => {
    throw difference ?? late;
  });
}

/** Resolves when every partition has compared its profiles with it. */
async function live(path: string, body: object): Promise<Status> {
  const { id } = await ask(path, { body });
  return await until(
    async () => {
      const now = await ask(`${path}/${id}`);
      return now.status === "live" && now;
    },
    { timeoutMs: 60_000, what: `${path}/${id} to be live` },
  );
}

const identify = (userId: string, traits: object) =>
  deployment.send(writeKey, "identify", { userId, traits });

/** What came for the user, in the order that a receiver gives it (docs/use/receiving-webhooks.md): of two calls the later one may arrive first. */
const callsOf = (userId: string) =>
  receiver
    .requestsTo(PATH)
    .flatMap(({ json }) => (json["userId"] === userId ? [json] : []))
    .sort((one, other) => placeOf(one).localeCompare(placeOf(other)));

/** Of an identify call before that of its track call. */
const placeOf = ({ timestamp, type }: Record<string, unknown>): string => `${timestamp} ${type}`;

const traitsOf = (userId: string) => callsOf(userId).map(({ traits }) => traits);

const untilTraits = (userId: string, traits: object[]) =>
  until(() => traitsOf(userId).length >= traits.length, {
    timeoutMs: 30_000,
    what: `${traits.length} identify calls of ${userId}`,
  }).then(() => expect(traitsOf(userId)).toEqual(traits));

test("a user who comes in and goes out is told to the webhooks of the built-in source, signed; a late audience finds those who are there", async () => {
  const audience = { name: "Pro Users", definition: { trait: "plan", op: "eq", value: "pro" } };
  const { id } = await live("/v1/audiences", audience);
  await identify("ada", { plan: "pro" });
  await untilTraits("ada", [{ pro_users: true }]);
  const [request] = receiver.requestsTo(PATH);
  expect(request?.signature).toBe("valid");
  expect(request?.json).toMatchObject({
    type: "identify",
    context: {
      personas: {
        computation_class: "audience",
        computation_id: id,
        computation_key: "pro_users",
        namespace: "default",
        space_id: "spa_default",
      },
    },
    integrations: { All: false, Webhooks: true },
  });
  await identify("ada", { plan: "free" });
  await untilTraits("ada", [{ pro_users: true }, { pro_users: false }]);
  await identify("ada", { plan: "pro" });
  await identify("bob", { plan: "pro" });
  await untilTraits("bob", [{ pro_users: true }]);

  await live("/v1/audiences", { ...audience, name: "Paying" });
  await untilTraits("bob", [{ pro_users: true }, { paying: true }]);
  await untilTraits("ada", [
    { pro_users: true },
    { pro_users: false },
    { pro_users: true },
    { paying: true },
  ]);
  const members = async () => (await ask(`/v1/audiences/${id}`)).members === 2;
  await until(members, { timeoutMs: 30_000, what: "two members" });
}, 180_000);

test("what audiences send is watched live, as the calls of every source are", async () => {
  const { id } = await live("/v1/audiences", {
    name: "Watched",
    definition: { trait: "seen", op: "eq", value: true },
  });
  const watching = new AbortController();
  const path = `${deployment.controlUrl()}/v1/sources/spa_default/live`;
  const answer = await fetch(path, { signal: watching.signal });
  expect(answer.status).toBe(200);
  let [told, isSent] = ["", false];
  for await (const text of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    told += text;
    if (!isSent && told.includes("event: listening")) {
      isSent = true;
      await identify("fay", { seen: true });
    }
    if (told.includes("event: accepted") && told.includes("event: delivery")) break;
  }
  expect(told).toContain(id);
  expect(told).toContain('"userId":"fay"');
}, 180_000);

test("an audience that sends track calls and traits tells of each change twice, at one moment, the identify call first", async () => {
  await identify("dan", { tier: "gold" });
  const definition = { trait: "tier", op: "eq", value: "gold" };
  const sending = { trackCalls: true, sendTraits: ["email", "tier"] };
  const { id } = await live("/v1/audiences", { name: "Gold", definition, ...sending });
  // Who was there already has not entered.
  await untilTraits("dan", [{ tier: "gold", gold: true }]);
  await identify("cleo", { tier: "gold", email: "cleo@shop.example" });
  await identify("cleo", { tier: "none" });
  await until(() => callsOf("cleo").length >= 4, { timeoutMs: 30_000, what: "four calls of cleo" });
  const own = { audience_key: "gold", audience_name: "Gold", audience_id: id };
  const email = "cleo@shop.example";
  const calls = callsOf("cleo");
  expect(calls).toMatchObject([
    { type: "identify", traits: { gold: true, tier: "gold", email } },
    { type: "track", event: "Audience Entered", properties: { ...own, tier: "gold", email } },
    { type: "identify", traits: { gold: false, tier: "none", email } },
    { type: "track", event: "Audience Exited", properties: { ...own, tier: "none", email } },
  ]);
  const times = calls.map(({ timestamp }) => timestamp);
  expect([times[0], times[2]]).toEqual([times[1], times[3]]);
  expect(new Set(calls.map(({ messageId }) => messageId)).size).toBe(4);
  expect(callsOf("dan")).toHaveLength(1);
}, 180_000);

test("of accounts group calls tell: traits come from group calls, events from calls that name the account", async () => {
  const of = "accounts";
  const plan = { trait: "plan", op: "eq", value: "pro" };
  const definition = { of, all: [plan, { event: "Seat Added", count: { op: "gte", value: 2 } }] };
  const audience = { name: "Growing", definition, trackCalls: true, sendTraits: ["plan"] };
  const { id } = await live("/v1/audiences", audience);
  const counted = { of, event: "Seat Added", reduce: { fn: "count" } };
  await live("/v1/computed-traits", { name: "Seats", definition: counted });
  const group = (traits: object) =>
    deployment.send(writeKey, "group", { userId: "flo", groupId: "acme", traits });
  const seat = (userId: string) =>
    deployment.send(writeKey, "track", { userId, event: "Seat Added", context: { groupId: "acme" } });
  const toldOf = () =>
    receiver
      .requestsTo(PATH)
      .flatMap(({ json }) =>
        json["groupId"] === "acme" || (json["context"] as { groupId?: string }).groupId === "acme"
          ? [json]
          : [],
      );
  const untilTold = (count: number) =>
    until(() => toldOf().length >= count, { timeoutMs: 30_000, what: `${count} calls of the account` });
  await group({ plan: "pro" });
  await seat("flo");
  await untilTold(1);
  await seat("gus");
  await untilTold(4);
  await group({ plan: "free" });
  await untilTold(6);
  const said = toldOf().map(({ event, groupId, traits, type }) => [type, groupId ?? event, traits ?? null]);
  const sent = (one: unknown) => said.filter((other) => JSON.stringify(other) === JSON.stringify(one)).length;
  expect(said).toHaveLength(6);
  for (const one of [
    ["group", "acme", { seats: 1 }],
    ["group", "acme", { seats: 2 }],
    ["group", "acme", { plan: "pro", growing: true }],
    ["track", "Audience Entered", null],
    ["group", "acme", { plan: "free", growing: false }],
    ["track", "Audience Exited", null],
  ])
    expect(sent(one)).toBe(1);
  expect(toldOf().every((json) => json["userId"] === undefined && json["anonymousId"] === undefined)).toBe(
    true,
  );
  const late = await startReceiver({ secret: SECRET });
  await deployment.control.createDestination({
    sourceIds: ["spa_default"],
    webhooks: [{ url: late.url(PATH) }],
    sharedSecret: SECRET,
  });
  const given = () => late.requestsTo(PATH).filter(({ json }) => json["groupId"] === "acme");
  await until(() => given().length >= 1, {
    timeoutMs: 60_000,
    what: "the account's value at a later destination",
  });
  expect(given().map(({ json }) => json["traits"])).toEqual([{ seats: 2 }]);
  await late.close();
  await until(async () => (await ask(`/v1/audiences/${id}`)).members === 0, {
    timeoutMs: 30_000,
    what: "no member",
  });
}, 180_000);

test("an account's members count each for itself, also by calls of before the audience was made", async () => {
  const of = "accounts";
  await live("/v1/audiences", { name: "Accounts", definition: { of, everyone: true } });
  const login = (userId: string, event = "Login") =>
    deployment.send(writeKey, "track", { userId, event, context: { groupId: "globex" } });
  const toldOf = () =>
    receiver.requestsTo(PATH).flatMap(({ json }) => (json["groupId"] === "globex" ? [json["traits"]] : []));
  const untilTold = (what: object) =>
    until(() => toldOf().some((traits) => JSON.stringify(traits) === JSON.stringify(what)), {
      timeoutMs: 60_000,
      what: JSON.stringify(what),
    });
  await login("hal");
  await login("hal");
  await login("ida");
  const paysWell = { trait: "pays", op: "eq", value: true };
  await live("/v1/audiences", { name: "Pays Well", definition: paysWell });
  await identify("ida", { pays: true });
  await untilTraits("ida", [{ pays_well: true }]);
  const twice = { event: "Login", within: "30d", count: { op: "gte", value: 2 } };
  const members = { all: [twice, { not: { event: "Left" } }] };
  const count = { op: "gte", value: 2 };
  await untilTold({ accounts: true });
  const { id } = await live("/v1/audiences", { name: "Two At Work", definition: { of, members, count } });
  const reduce = { fn: "unique_count", path: "userId" };
  await live("/v1/computed-traits", { name: "Logged In", definition: { of, event: "Login", reduce } });
  await untilTold({ logged_in: 2 });
  expect(toldOf()).not.toContainEqual({ two_at_work: true });
  const membership = `/v1/audiences/${id}/members?groupId=globex`;
  const oneCounts = { member: false, leaves: [{ path: "definition", holds: false, value: 1 }] };
  await untilAnswered(membership, oneCounts);
  const byAudience = { of, members: { audience: "pays_well" } };
  const sample = [{ groupId: "globex", why: [{ path: "definition", holds: true, value: 1 }] }];
  const untilPreviewed = (definition: object, expected: object) =>
    untilAnswered("/v1/audiences/preview", expected, { body: { definition } });
  await untilPreviewed(byAudience, { estimatedCount: 1, countError: 0, unknownAudiences: [], sample });
  const { members: accounts } = await live("/v1/audiences", { name: "Customers", definition: byAudience });
  await untilTold({ customers: true });
  expect(accounts).toBeLessThanOrEqual(1);
  await identify("ida", { pays: false });
  await untilTold({ customers: false });
  await identify("hal", { pays: true });
  await until(() => toldOf().filter((one) => JSON.stringify(one) === '{"customers":true}').length === 2, {
    timeoutMs: 60_000,
    what: "the account to come back",
  });
  await ask("/v1/regulations", {
    body: { regulationType: "DELETE_ONLY", subjectType: "USER_ID", subjectIds: ["hal"] },
  });
  await until(() => toldOf().filter((one) => JSON.stringify(one) === '{"customers":false}').length === 2, {
    timeoutMs: 60_000,
    what: "the deleted member to leave",
  });
  await login("hal");
  await login("hal");
  await login("ida");
  await untilTold({ two_at_work: true });
  await login("hal", "Left");
  await untilTold({ two_at_work: false });
  await untilAnswered(membership, oneCounts);
  await untilPreviewed({ of, members }, { sample });
}, 240_000);

test("a computed trait carries its value whenever that has changed", async () => {
  const definition = { event: "Order Completed", reduce: { fn: "sum", path: "properties.total" } };
  await live("/v1/computed-traits", { name: "Spent", definition });
  for (const total of [5, 0, 7])
    await deployment.send(writeKey, "track", {
      userId: "eve",
      event: "Order Completed",
      properties: { total },
    });
  await untilTraits("eve", [{ spent: 5 }, { spent: 12 }]);
}, 180_000);

test("a user who was suppressed and deleted comes back neither in a list nor at a webhook, whoever's device calls", async () => {
  const BOUGHT = "Bought Before";
  const buyers = await live("/v1/audiences", {
    name: "Bought Before",
    definition: { event: BOUGHT },
  });
  const listed = async ({ id }: Status) => {
    const url = `${deployment.controlUrl()}/v1/audiences/${id}/members`;
    const { body } = await requestJson<{ data: readonly { userId: string | null }[] }>(url);
    return body.data.map(({ userId }) => userId);
  };
  const untilListed = (audience: Status, userId: string) =>
    until(async () => (await listed(audience)).includes(userId), {
      timeoutMs: 60_000,
      what: `${userId} in the list`,
    });
  const sentOf = (userId: string) =>
    receiver.requestsTo(PATH).filter(({ json }) => json["userId"] === userId);
  await deployment.send(writeKey, "track", { userId: "sup1", anonymousId: "device", event: BOUGHT });
  await untilListed(buyers, "sup1");
  const regulation = { regulationType: "SUPPRESS_WITH_DELETE", subjectType: "USER_ID", subjectIds: ["sup1"] };
  const { id } = await ask("/v1/regulations", { body: regulation });
  await until(async () => (await ask(`/v1/regulations/${id}`)).status === "finished", {
    timeoutMs: 60_000,
    what: "the regulation to be finished",
  });
  // The webhook hears of the deletion, too, and that may be later than the regulation's end.
  const isTold = () => sentOf("sup1").some(({ json }) => json["type"] === "delete");
  await until(isTold, { timeoutMs: 60_000, what: "the deletion at the webhook" });
  const before = sentOf("sup1").length;
  await deployment.send(writeKey, "track", { anonymousId: "device", event: BOUGHT });
  await deployment.send(writeKey, "track", { userId: "sup2", event: BOUGHT });
  await untilListed(buyers, "sup2");
  const later = await live("/v1/audiences", {
    name: "Bought Later",
    definition: { event: BOUGHT },
  });
  await untilListed(later, "sup2");
  expect([await listed(buyers), await listed(later)]).toEqual([["sup2"], ["sup2"]]);
  await until(() => sentOf("sup2").length >= 2, {
    timeoutMs: 60_000,
    what: "what is sent of the other user",
  });
  expect(sentOf("sup1")).toHaveLength(before);
}, 240_000);
