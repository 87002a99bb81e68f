// Unmodified SDKs, and our own, pointed at what `npm start` printed: every call they send arrives at the webhook, signed (contract 1.3, 7, 2.3).
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ControlClient, controlClient, sendCall } from "#support/api";
import { environment } from "#support/environment";
import { requireGo, requirePython } from "#support/installed";
import { type NpmStart, npmStart } from "#support/npm-start";
import { pythonSdkEnvironment } from "#support/python-sdk";
import { type Receiver, startReceiver } from "#support/receiver";
import { useStack } from "#support/stack";
import { until } from "#support/until";

const SECRET = "sdk-test";
const BULK = 1000;
const EACH_TYPE = ["alias", "group", "identify", "page", "screen", "track", "track"];
const READY = /^Hookline is ready: ingest (\S+), control (\S+)$/;
const READY_TIMEOUT_MS = 240_000;
/** On a busy machine a call can be put off twice for want of room: its third chance comes 70 s after the first (contract 3.5). */
const ARRIVAL_TIMEOUT_MS = 120_000;
const run = promisify(execFile);

let npm: NpmStart;
let receiver: Receiver;
let ingestUrl: string;
let control: ControlClient;

beforeAll(async () => {
  const { brokers, registryUrl } = await useStack();
  npm = npmStart({
    HOOKLINE_DEMO: "0",
    HOOKLINE_KAFKA_BROKERS: brokers.join(),
    HOOKLINE_SCHEMA_REGISTRY_URL: registryUrl,
    HOOKLINE_TOPIC_PREFIX: `t${randomBytes(5).toString("hex")}-`,
  });
  const [, ingest = "", controlUrl = ""] = await npm.untilLine(READY, READY_TIMEOUT_MS);
  ingestUrl = ingest;
  control = controlClient(() => controlUrl);
  receiver = await startReceiver({ secret: SECRET });
}, READY_TIMEOUT_MS + 30_000);

afterAll(async () => {
  npm.pressCtrlC();
  await npm.exitCode();
  await receiver.close();
}, 60_000);

const PROBE = "Probe";

/** What came to the path but for the probes. */
const received = (path: string) => receiver.requestsTo(path).filter(({ json }) => json["event"] !== PROBE);

/** Ends when a call of the source arrives: a new source and destination are in force within a second (contract 10.1). */
async function untilInForce(writeKey: string, path: string): Promise<void> {
  const arrives = async (): Promise<boolean> => {
    await sendCall(ingestUrl, { route: "track", writeKey, body: { userId: "probe", event: PROBE } });
    return receiver.requestsTo(path).length > 0;
  };
  await until(arrives, { timeoutMs: 15_000, what: "a first call to arrive" });
}

type Send = (writeKey: string) => Promise<unknown>;

/** Runs a program that sends to a source of its own; gives what arrived at that source's webhook. `alsoTo` is a second webhook. */
async function receivedFrom(sdk: string, send: Send, alsoTo: readonly string[]) {
  const { id, writeKeys } = await control.createSource(sdk);
  const path = `/${sdk}`;
  await control.createDestination({
    sourceIds: [id],
    sharedSecret: SECRET,
    standardWebhooks: alsoTo.length > 0,
    webhooks: [receiver.url(path), ...alsoTo].map((url) => ({ url })),
  });
  await untilInForce(writeKeys[0], path);
  await send(writeKeys[0]);
  const isThere = (): boolean => received(path).length >= BULK + EACH_TYPE.length;
  await until(isThere, {
    timeoutMs: ARRIVAL_TIMEOUT_MS,
    what: () => `every call; ${received(path).length} came`,
  });
  return received(path);
}

async function expectEveryCall(sdk: string, send: Send, alsoTo: readonly string[] = []): Promise<void> {
  const requests = await receivedFrom(sdk, send, alsoTo);
  const bulk = requests.filter(({ json }) => json["event"] === "Bulk");
  const others = requests.filter(({ json }) => json["event"] !== "Bulk");
  expect(others.map(({ json }) => json["type"]).sort()).toEqual(EACH_TYPE);
  expect(new Set(bulk.map(({ json }) => (json["properties"] as { i: number }).i)).size).toBe(BULK);
  expect(requests).toHaveLength(BULK + EACH_TYPE.length);
  expect(new Set(requests.map(({ signature }) => signature))).toEqual(new Set(["valid"]));
  const dated = others.find(({ json }) => json["event"] === "Anonymous");
  expect(String(dated?.json["originalTimestamp"])).toMatch(/^2012-12-02T00:30:08\.276/);
}

describe(`every call type and a bulk of ${BULK} arrive from`, () => {
  test("@segment/analytics-node", async () => {
    const program = join(import.meta.dirname, "node/send.ts");
    await expectEveryCall("node", (key) =>
      run(process.execPath, [program, ingestUrl, key, String(BULK)], { env: environment }),
    );
  }, 180_000);

  test("segment-analytics-python", async () => {
    requirePython();
    const program = join(import.meta.dirname, "python/send.py");
    const env = await pythonSdkEnvironment();
    await expectEveryCall("python", (key) =>
      run("python3", [program, ingestUrl, key, String(BULK)], { env }),
    );
  }, 300_000);

  test("analytics-go v3", async () => {
    const cwd = join(import.meta.dirname, "go");
    const args = (key: string): string[] => [
      "run",
      ".",
      "-endpoint",
      ingestUrl,
      "-key",
      key,
      "-bulk",
      String(BULK),
    ];
    await expectEveryCall("go", (key) => run("go", args(key), { cwd, env: environment }));
  }, 180_000);

  test("Hookline's own Go library, verified by a receiver that is written with it", async () => {
    requireGo();
    const folder = await mkdtemp(join(tmpdir(), "hookline-go-"));
    const program = join(folder, "hookline-go");
    await run("go", ["build", "-o", program, "."], {
      cwd: join(import.meta.dirname, "hookline-go"),
      env: environment,
    });
    const webhook = spawn(program, ["-receive", SECRET], { stdio: ["pipe", "pipe", "inherit"] });
    const ended = once(webhook, "exit");
    const lines: string[] = [];
    createInterface(webhook.stdout).on("line", (line) => lines.push(line));
    try {
      await until(() => lines.length > 0, { timeoutMs: 15_000, what: "the receiver's URL" });
      const url = lines[0]?.replace("listening ", "") ?? "";
      const args = (key: string): string[] => ["-endpoint", ingestUrl, "-key", key, "-bulk", String(BULK)];
      await expectEveryCall("hookline-go", (key) => run(program, args(key), { env: environment }), [url]);
      const verified = (): string[] => lines.slice(1).filter((line) => !line.endsWith(`"${PROBE}"`));
      const count = BULK + EACH_TYPE.length;
      await until(() => verified().length >= count, { timeoutMs: 15_000, what: "the Go receiver's calls" });
      expect(verified().filter((line) => !line.startsWith("verified "))).toEqual([]);
      expect(new Set(verified()).size).toBe(count);
      expect(verified()).toHaveLength(count);
    } finally {
      webhook.stdin.end();
      await ended;
      await rm(folder, { recursive: true });
    }
  }, 300_000);
});
