// SDKs, unmodified, and our own libraries through what goes wrong between them and ingest: every call arrives exactly once at the webhook.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sendCall } from "#support/api";
import { clientTool, installClientTools } from "#support/client-tools";
import { type Deployment, startDeployment } from "#support/deployment";
import { environment } from "#support/environment";
import { type FlakyProxy, startFlakyProxy } from "#support/flaky-proxy";
import { requireGo } from "#support/installed";
import { type ReceivedRequest, type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";

const BULK = 100;
const EACH_TYPE = ["alias", "group", "identify", "page", "screen", "track", "track"];
const LAST = "Last";
const ARRIVAL_TIMEOUT_MS = 120_000;
/** How long ingest is away: a moment here, as long as one wants by hand (docs/decisions/0065). */
const AWAY_MS = Number(environment["AWAY_SECONDS"] ?? "3") * 1_000;
const PACE_MS = 20;
const run = promisify(execFile);

let folder: string;
let deployment: Deployment;
let receiver: Receiver;

beforeAll(async () => {
  requireGo();
  folder = await mkdtemp(join(tmpdir(), "hookline-sdks-"));
  const build = (name: string) =>
    run("go", ["build", "-o", join(folder, name), "."], {
      cwd: join(import.meta.dirname, name),
      env: environment,
    });
  [deployment, receiver] = await Promise.all([
    startDeployment(),
    startReceiver(),
    build("go"),
    build("hookline-go"),
    installClientTools(),
  ]);
}, 300_000);
afterAll(async () => {
  await deployment?.stop();
  await receiver?.close();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

type Program = (endpoint: string, key: string, bulk: number, paceMs?: number) => Promise<unknown>;

const node =
  (program: string, ...more: string[]): Program =>
  (endpoint, key, bulk, paceMs) => {
    const args = [join(import.meta.dirname, program, "send.ts"), endpoint, key, String(bulk), ...more];
    return run(process.execPath, [...args, ...(paceMs === undefined ? [] : [String(paceMs)])], {
      env: environment,
    });
  };

const go =
  (program: string, ...more: string[]): Program =>
  (endpoint, key, bulk, paceMs) => {
    const args = ["-endpoint", endpoint, "-key", key, "-bulk", String(bulk), ...more];
    const pace = paceMs === undefined ? [] : ["-pace", `${paceMs}ms`];
    return run(join(folder, program), [...args, ...pace], { env: environment });
  };

/** A source with a destination of its own. */
async function createPath(name: string): Promise<{ path: string; key: string }> {
  const { id, writeKeys } = await deployment.control.createSource(name);
  const path = `/${name}`;
  await deployment.control.createDestination({ sourceIds: [id], webhooks: [{ url: receiver.url(path) }] });
  return { path, key: writeKeys[0] };
}

const idsOf = (requests: readonly ReceivedRequest[]): unknown[] =>
  requests.map(({ json }) => json["messageId"]);

/** Waits for every call, then for one that was sent after them all: a copy would have come by then. */
async function expectOnce(path: string, key: string, bulk: number): Promise<void> {
  const count = bulk + EACH_TYPE.length;
  const all = () => receiver.requestsTo(path).filter(({ json }) => json["event"] !== LAST);
  const distinct = () => new Set(idsOf(all())).size;
  await until(() => distinct() >= count, {
    timeoutMs: ARRIVAL_TIMEOUT_MS,
    what: () => `${count} calls; ${distinct()} came`,
  });
  await sendCall(deployment.ingestUrl(), {
    route: "track",
    writeKey: key,
    body: { userId: "u", event: LAST },
  });
  const isLast = () => receiver.requestsTo(path).length > all().length;
  await until(isLast, { timeoutMs: ARRIVAL_TIMEOUT_MS, what: "the last call" });
  const requests = all();
  expect(requests).toHaveLength(count);
  expect(distinct()).toBe(count);
  const bulkCalls = requests.filter(({ json }) => json["event"] === "Bulk");
  expect(new Set(bulkCalls.map(({ json }) => (json["properties"] as { i: number }).i)).size).toBe(bulk);
  const others = requests.filter(({ json }) => json["event"] !== "Bulk");
  expect(others.map(({ json }) => json["type"]).sort()).toEqual(EACH_TYPE);
}

type Sending = Promise<{ path: string; key: string; proxy: FlakyProxy }>;

async function sendThroughProxy(name: string, program: Program): Sending {
  const { path, key } = await createPath(name.replace(/\W+/g, "-"));
  const proxy = await startFlakyProxy(deployment.ingestUrl());
  await program(proxy.url, key, BULK).finally(() => proxy.close());
  return { path, key, proxy };
}

describe("through a proxy that drops, loses answers, says 503 and delays", () => {
  const programs: [name: string, program: () => Program][] = [
    ["@segment/analytics-node", () => node("node")],
    ["analytics-node", () => node("node-legacy", clientTool("analytics-node"))],
    ["analytics-go", () => go("go", "-wait")],
    ["hookline-go", () => go("hookline-go")],
    ["hookline-typescript", () => node("hookline-typescript")],
  ];
  // They mostly wait, so they do it together.
  const sending = new Map<string, Sending>();
  beforeAll(() => {
    for (const [name, program] of programs) {
      const sent = sendThroughProxy(name, program());
      // One that fails before it is waited for is reported by its own test.
      sent.catch(() => undefined);
      sending.set(name, sent);
    }
  });

  test.each(programs)(
    "%s delivers every call exactly once",
    async (name) => {
      const { path, key, proxy } = await (sending.get(name) as Sending);
      await expectOnce(path, key, BULK);
      expect(proxy.treatments.size).toBeGreaterThan(0);
      for (const treatments of proxy.treatments.values())
        expect(treatments).toEqual(["dropped", "answer lost", "503", "delayed"]);
    },
    240_000,
  );
});

test(`ingest is killed and away for ${AWAY_MS / 1_000} s under load: neither library loses a call`, async () => {
  // Calls go on while it is away, and after.
  const bulk = Math.ceil((AWAY_MS + 2_000) / PACE_MS);
  const programs: [string, Program][] = [
    ["killed-go", go("hookline-go")],
    ["killed-typescript", node("hookline-typescript")],
  ];
  const paths = await Promise.all(programs.map(([name]) => createPath(name)));
  const endpoint = deployment.ingestUrl();
  const sent = Promise.all(
    programs.map(([, program], i) => program(endpoint, paths[i]?.key ?? "", bulk, PACE_MS)),
  );
  // A program that fails before it is waited for is reported all the same.
  sent.catch(() => undefined);
  const isUnderLoad = () => paths.every(({ path }) => receiver.requestsTo(path).length > EACH_TYPE.length);
  await until(isUnderLoad, { timeoutMs: 60_000, what: "calls of both" });
  const ingest = deployment.service("ingest");
  await ingest.kill();
  await sleep(AWAY_MS);
  await ingest.restart();
  await sent;
  await Promise.all(paths.map(({ path, key }) => expectOnce(path, key, bulk)));
}, 300_000);
