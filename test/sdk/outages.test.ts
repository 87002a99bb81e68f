// SDKs, unmodified, and our own libraries through what goes wrong between them and ingest: every call arrives exactly once at the webhook.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sendCall } from "#support/api";
import { type Deployment, startDeployment } from "#support/deployment";
import { environment } from "#support/environment";
import { type FlakyProxy, startFlakyProxy } from "#support/flaky-proxy";
import { type ReceivedRequest, type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";
import { type PreparedSdks, prepareSdks } from "./prepare.ts";
import { EACH_TYPE, type Sdk } from "./sdk.ts";
import { HOOKLINE_GO, HOOKLINE_TYPESCRIPT, SDKS } from "./sdks.ts";
import { WRITTEN } from "./written.ts";

const BULK = 100;
const LAST = "Last";
const ARRIVAL_TIMEOUT_MS = 120_000;
/** How long ingest is away: a moment here, as long as one wants by hand (decision 65). */
const AWAY_MS = Number(environment["AWAY_SECONDS"] ?? "3") * 1_000;
const PACE_MS = 20;
/** Programs that send through proxies. */
const AT_ONCE = 3;
const THROUGH_OUTAGES = SDKS.filter(({ failures }) => failures.length > 0);

let programs: PreparedSdks;
let deployment: Deployment;
let receiver: Receiver;

beforeAll(async () => {
  programs = await prepareSdks(THROUGH_OUTAGES);
  // Programs of many languages start meanwhile: no request to the webhook is to be over for that, and sent again.
  const settings = { HOOKLINE_RESPONSE_DEADLINE: "60s" };
  [deployment, receiver] = await Promise.all([startDeployment({ settings }), startReceiver()]);
}, 300_000);
afterAll(async () => {
  await deployment?.stop();
  await receiver?.close();
  await programs?.remove();
}, 180_000);

/** Where the calls of one program go. */
interface Path {
  readonly path: string;
  readonly key: string;
  /** Of calls, the bulk's included. */
  readonly count: number;
  readonly types: readonly string[];
}

/** A source with a destination of its own. */
async function createPath({ name, types }: Sdk, bulk: number): Promise<Path> {
  const source = `${name.replace(/\W+/g, "-")}-${bulk}`;
  const { id, writeKeys } = await deployment.control.createSource(source);
  const path = `/${source}`;
  await deployment.control.createDestination({ sourceIds: [id], webhooks: [{ url: receiver.url(path) }] });
  return { path, key: writeKeys[0], types, count: bulk + types.length };
}

const idsOf = (requests: readonly ReceivedRequest[]): unknown[] =>
  requests.map(({ json }) => json["messageId"]);

const callsTo = (path: string) => receiver.requestsTo(path).filter(({ json }) => json["event"] !== LAST);
const distinctTo = (path: string): number => new Set(idsOf(callsTo(path))).size;
/** `proxy` says what it did with each batch: whether it is the library or Hookline that has the rest. */
const untilArrived = (path: string, count: number, proxy?: FlakyProxy): Promise<unknown> =>
  until(() => distinctTo(path) >= count, {
    timeoutMs: ARRIVAL_TIMEOUT_MS,
    what: () => `${count} calls; ${distinctTo(path)} came; ${JSON.stringify([...(proxy?.treatments ?? [])])}`,
  });

/** The calls that came more than once, with all that tells why. */
const copiesAmong = (requests: readonly ReceivedRequest[]) =>
  requests
    .filter(({ json }) => idsOf(requests).filter((id) => id === json["messageId"]).length > 1)
    .map(({ text, headers, receivedAtMs }) => ({ text, headers, at: new Date(receivedAtMs).toISOString() }));

/** Waits for every call, then for one that was sent after them all: a copy would have come by then. */
async function expectOnce({ path, key, count, types }: Path): Promise<void> {
  await untilArrived(path, count);
  await sendCall(deployment.ingestUrl(), {
    route: "track",
    writeKey: key,
    body: { userId: "u", event: LAST },
  });
  const all = () => callsTo(path);
  const isLast = () => receiver.requestsTo(path).length > all().length;
  await until(isLast, { timeoutMs: ARRIVAL_TIMEOUT_MS, what: "the last call" });
  const requests = all();
  expect(copiesAmong(requests)).toEqual([]);
  expect(requests).toHaveLength(count);
  expect(distinctTo(path)).toBe(count);
  const bulkCalls = requests.filter(({ json }) => json["event"] === "Bulk");
  expect(new Set(bulkCalls.map(({ json }) => (json["properties"] as { i: number }).i)).size).toBe(
    count - types.length,
  );
  const others = requests.filter(({ json }) => json["event"] !== "Bulk");
  expect(others.map(({ json }) => json["type"]).sort()).toEqual(types);
}

async function sendThroughProxy(sdk: Sdk): Promise<Path & { proxy: FlakyProxy }> {
  const path = await createPath(sdk, BULK);
  const send = await programs.of(sdk);
  const proxy = await startFlakyProxy(deployment.ingestUrl(), sdk.failures);
  // A batch is at the webhook after its answer was lost; its library has two tries more.
  const isThrough = () => [...proxy.treatments.values()].every((tries) => tries.at(-1) === "delayed");
  const arrived = untilArrived(path.path, path.count, proxy).then(() =>
    until(isThrough, { timeoutMs: ARRIVAL_TIMEOUT_MS, what: "the last try of each batch" }),
  );
  const sent = send({ endpoint: proxy.url, key: path.key, bulk: BULK, isFlaky: true, arrived });
  await Promise.all([sent, arrived]).finally(() => proxy.close());
  return { ...path, proxy };
}

describe("through a proxy that drops, loses answers, says 503 and delays", () => {
  // They mostly wait, so some do it together; all at once would leave none of two cores to the webhook.
  const sending = THROUGH_OUTAGES.map((sdk) => ({
    sdk,
    ...Promise.withResolvers<Awaited<ReturnType<typeof sendThroughProxy>>>(),
  }));
  beforeAll(() => {
    const waiting = [...sending];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        await sendThroughProxy(next.sdk).then(next.resolve, next.reject);
    };
    for (let worker = 0; worker < AT_ONCE; worker++) void work();
    // One that fails before it is waited for is reported by its own test.
    for (const { promise } of sending) promise.catch(() => undefined);
  });

  test.each(sending)(
    "$sdk.name delivers every call exactly once",
    async ({ sdk, promise }) => {
      const sent = await promise;
      await expectOnce(sent);
      expect(sent.proxy.treatments.size).toBeGreaterThan(0);
      for (const treatments of sent.proxy.treatments.values())
        expect(treatments).toEqual([...sdk.failures, "delayed"]);
    },
    240_000,
  );
});

describe("written down from the sources of SDKs that cannot be run here, and sent again as after a lost answer", () => {
  const WEBHOOK = "/written";
  let key: string;
  beforeAll(async () => {
    const { id, writeKeys } = await deployment.control.createSource("written");
    key = writeKeys[0];
    const webhooks = [{ url: receiver.url(WEBHOOK) }];
    await deployment.control.createDestination({ sourceIds: [id], webhooks });
  });

  test.each(WRITTEN)("a batch of $name is answered as it wants, and its calls arrive once", async (sdk) => {
    const prefix = sdk.name.replace(/\W+/g, "-");
    const { headers, body } = sdk.request(key, prefix);
    // Of a text, fetch would say a Content-Type by itself.
    const bytes = new Uint8Array(Buffer.from(body));
    for (const time of ["first", "again"]) {
      const url = `${deployment.ingestUrl()}${sdk.path}`;
      const answer = await fetch(url, { method: "POST", headers, body: bytes });
      expect([time, answer.status, await answer.json()]).toEqual([time, 200, { success: true }]);
    }
    await sendCall(deployment.ingestUrl(), {
      route: "track",
      writeKey: key,
      body: { userId: "u", event: LAST, messageId: `${prefix}-last` },
    });
    const idsThere = () => idsOf(receiver.requestsTo(WEBHOOK)).map(String);
    const own = () => idsThere().filter((id) => id.startsWith(`${prefix}-`));
    await until(() => new Set(own()).size > new Set(EACH_TYPE).size, {
      timeoutMs: ARRIVAL_TIMEOUT_MS,
      what: () => `its calls; there are ${own().join()}`,
    });
    expect(own().sort()).toEqual(
      [...new Set<string>([...EACH_TYPE, "last"])].map((type) => `${prefix}-${type}`).sort(),
    );
  });

  test("mobile ones are told by the settings to send where they asked", async () => {
    const { status, json } = await fetch(`${deployment.ingestUrl()}/v1/projects/${key}/settings`).then(
      async (answer) => ({ status: answer.status, json: await answer.json() }),
    );
    const { host } = new URL(deployment.ingestUrl());
    expect(status).toBe(200);
    expect(json).toMatchObject({
      integrations: { "Segment.io": { apiKey: key, apiHost: `${host}/v1` } },
    });
  });
});

test(`ingest is killed and away for ${AWAY_MS / 1_000} s under load: neither library loses a call`, async () => {
  // Calls go on while it is away, and after.
  const bulk = Math.ceil((AWAY_MS + 2_000) / PACE_MS);
  const own = [HOOKLINE_GO, HOOKLINE_TYPESCRIPT];
  const paths = await Promise.all(own.map((sdk) => createPath(sdk, bulk)));
  const endpoint = deployment.ingestUrl();
  const sendTo = async (sdk: Sdk, { path, key, count }: Path): Promise<unknown> => {
    const send = await programs.of(sdk);
    return send({ endpoint, key, bulk, paceMs: PACE_MS, arrived: untilArrived(path, count) });
  };
  const sent = Promise.all(paths.map((path, i) => sendTo(own[i] as Sdk, path)));
  // A program that fails before it is waited for is reported all the same.
  sent.catch(() => undefined);
  const isUnderLoad = () => paths.every(({ path, types }) => receiver.requestsTo(path).length > types.length);
  await until(isUnderLoad, { timeoutMs: 60_000, what: "calls of both" });
  const ingest = deployment.service("ingest");
  await ingest.kill();
  await sleep(AWAY_MS);
  await ingest.restart();
  await sent;
  await Promise.all(paths.map(expectOnce));
}, 300_000);
