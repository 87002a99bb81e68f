// Unmodified SDKs, and our own, pointed at what `npm start` printed: every call they send arrives at the webhook, signed (contract 1.3, 7, 2.3).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ControlClient, controlClient, sendCall } from "#support/api";
import { type NpmStart, npmStart } from "#support/npm-start";
import { type Receiver, startReceiver } from "#support/receiver";
import { useStack } from "#support/stack";
import { until } from "#support/until";
import { newPrefix } from "#support/wire";
import { type PreparedSdks, prepareSdks } from "./prepare.ts";
import type { Sdk, Send } from "./sdk.ts";
import { HOOKLINE_GO, SDKS } from "./sdks.ts";

const SECRET = "sdk-test";
const BULK = 1000;
const READY = /^Hookline is ready: ingest (\S+), control (\S+)$/;
const READY_TIMEOUT_MS = 240_000;
/** On a busy machine a call can be put off twice for want of room: its third chance comes 70 s after the first (contract 3.5). */
const ARRIVAL_TIMEOUT_MS = 120_000;

let npm: NpmStart;
let receiver: Receiver;
let ingestUrl: string;
let control: ControlClient;
let programs: PreparedSdks;

beforeAll(async () => {
  // What has to be compiled is, while the product starts.
  programs = await prepareSdks(SDKS);
  const { brokers, registryUrl } = await useStack();
  npm = npmStart({
    HOOKLINE_DEMO: "0",
    HOOKLINE_KAFKA_BROKERS: brokers.join(),
    HOOKLINE_SCHEMA_REGISTRY_URL: registryUrl,
    HOOKLINE_TOPIC_PREFIX: newPrefix(),
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
  await programs.remove();
}, 180_000);

const PROBE = "Probe";

/** What came to the path but for the probes. */
const received = (path: string) => receiver.requestsTo(path).filter(({ json }) => json["event"] !== PROBE);

/** Ends when a call of the source arrives: a new source and destination are in force within a second (contract 10.1). */
async function untilInForce(writeKey: string, path: string): Promise<void> {
  const arrives = async (): Promise<boolean> => {
    await sendCall(ingestUrl, { route: "track", writeKey, body: { userId: "probe", event: PROBE } });
    return receiver.requestsTo(path).length > 0;
  };
  await until(arrives, { timeoutMs: 60_000, what: "a first call to arrive" });
}

/** Runs a program that sends to a source of its own; gives what arrived at that source's webhook. `alsoTo` is a second webhook. */
async function receivedFrom({ name, types, maxBulk = BULK }: Sdk, send: Send, alsoTo: readonly string[]) {
  const bulk = Math.min(BULK, maxBulk);
  const source = name.replace(/\W+/g, "-");
  const { id, writeKeys } = await control.createSource(source);
  const path = `/${source}`;
  await control.createDestination({
    sourceIds: [id],
    sharedSecret: SECRET,
    standardWebhooks: alsoTo.length > 0,
    webhooks: [receiver.url(path), ...alsoTo].map((url) => ({ url })),
  });
  await untilInForce(writeKeys[0], path);
  const arrived = until(() => received(path).length >= bulk + types.length, {
    timeoutMs: ARRIVAL_TIMEOUT_MS,
    what: () => `every call; ${received(path).length} came`,
  });
  const sent = send({ endpoint: ingestUrl, key: writeKeys[0], bulk, arrived });
  await Promise.all([sent, arrived]);
  return received(path);
}

async function expectEveryCall(sdk: Sdk, send: Send, alsoTo: readonly string[] = []): Promise<void> {
  const requests = await receivedFrom(sdk, send, alsoTo);
  const bulk = Math.min(BULK, sdk.maxBulk ?? BULK);
  const inBulk = requests.filter(({ json }) => json["event"] === "Bulk");
  const others = requests.filter(({ json }) => json["event"] !== "Bulk");
  expect(others.map(({ json }) => json["type"]).sort()).toEqual(sdk.types);
  expect(new Set(inBulk.map(({ json }) => (json["properties"] as { i: number }).i)).size).toBe(bulk);
  expect(requests).toHaveLength(bulk + sdk.types.length);
  expect(new Set(requests.map(({ signature }) => signature))).toEqual(new Set(["valid"]));
  // Each also sends a call for elsewhere only, with All false, before the bulk (contract 1.4). analytics-go writes "all".
  const ordered = others.find(({ json }) => json["event"] === "Order Completed");
  const integrations = Object.entries(ordered?.json["integrations"] ?? {});
  const named = Object.fromEntries(integrations.map(([name, isOn]) => [name.toLowerCase(), isOn]));
  expect(named).toMatchObject({ all: false, webhooks: true });
  const dated = others.find(({ json }) => json["event"] === "Anonymous");
  expect(String(dated?.json["originalTimestamp"])).toMatch(/^2012-12-02T00:30:08\.276/);
}

describe(`every call type and a bulk of up to ${BULK} arrive from`, () => {
  test.each(SDKS.filter((sdk) => sdk !== HOOKLINE_GO))(
    "$name",
    async (sdk) => {
      await expectEveryCall(sdk, await programs.of(sdk));
    },
    300_000,
  );

  test("Hookline's own Go library, verified by a receiver that is written with it", async () => {
    const send = await programs.of(HOOKLINE_GO);
    const webhook = spawn(join(programs.folder, "hookline-go"), ["-receive", SECRET], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(webhook, "exit");
    const lines: string[] = [];
    createInterface(webhook.stdout).on("line", (line) => lines.push(line));
    try {
      await until(() => lines.length > 0, { timeoutMs: 60_000, what: "the receiver's URL" });
      const url = lines[0]?.replace("listening ", "") ?? "";
      await expectEveryCall(HOOKLINE_GO, send, [url]);
      const verified = (): string[] => lines.slice(1).filter((line) => !line.endsWith(`"${PROBE}"`));
      const count = BULK + HOOKLINE_GO.types.length;
      await until(() => verified().length >= count, { timeoutMs: 60_000, what: "the Go receiver's calls" });
      expect(verified().filter((line) => !line.startsWith("verified "))).toEqual([]);
      expect(new Set(verified()).size).toBe(count);
      expect(verified()).toHaveLength(count);
    } finally {
      webhook.stdin.end();
      await ended;
    }
  }, 300_000);
});
