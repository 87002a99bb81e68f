// What becomes of a deployment whose configuration topics are deleted, with `hookline backup` and `hookline restore`; on real Kafka.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createKafka, type Kafka, markRecords, restoreMarks } from "#kafka";
import { type Destination, requestJson, type Source } from "#support/api";
import { metricsOf, sumOfMetric } from "#support/metrics";
import { scratchFolder } from "#support/scratch-folder";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";
import { newPrefix, settingsOn } from "#support/wire";
import { configurationTopics } from "#topics";
import { printedBy } from "../../cli/fixtures/printed.ts";

const START_TIMEOUT_MS = 240_000;
const KEY = `test:${Buffer.alloc(32, 7).toString("base64")}`;
const PREFIX = newPrefix();
const PARTITIONS = 4;
const SUPPRESSION = { regulationType: "SUPPRESS_ONLY", subjectType: "USER_ID", subjectIds: ["gone"] };

let kafka: Kafka;
let folder: string;
let file: string;
let source: Source;
let destinations: readonly Destination[];

afterAll(() => kafka?.close());
useDeployment(
  () => ({ prefix: PREFIX, partitions: PARTITIONS, settings: { HOOKLINE_ENCRYPTION_KEYS: KEY } }),
  { secret: "the secret" },
);
beforeAll(async () => {
  kafka = createKafka({ brokers: deployment.stack.brokers, clientId: "backup-test", tls: false });
  folder = scratchFolder();
  file = join(folder, "backup.ndjson");
  source = await deployment.control.createSource();
  destinations = await Promise.all(
    ["/one", "/two"].map((path) =>
      deployment.control.createDestination({
        sourceIds: [source.id],
        sharedSecret: "the secret",
        webhooks: [{ url: receiver.url(path), headers: { "x-team": "growth" } }],
      }),
    ),
  );
  const audience = { name: "Buyers", definition: { event: "Bought" } };
  await post("/v1/audiences", audience);
  await post("/v1/regulations", SUPPRESSION);
}, START_TIMEOUT_MS);

async function post(path: string, body: object): Promise<void> {
  const { status } = await requestJson(`${deployment.controlUrl()}${path}`, { body });
  expect([200, 201, 202]).toContain(status);
}

const hookline = (args: readonly string[], settings: Record<string, string> = {}) =>
  printedBy(
    args,
    {
      ...settingsOn(deployment.stack, { prefix: PREFIX, retryDelaysMs: [500, 2_000] }),
      HOOKLINE_PARTITIONS: String(PARTITIONS),
      HOOKLINE_PROFILE_EVENTS_RETENTION: "1d",
      HOOKLINE_ENCRYPTION_KEYS: KEY,
      ...settings,
    },
    "",
  );

let calls = 0;

/** Sends one call and waits until every destination has it, signed. */
async function arrivesEverywhere(paths: readonly string[] = ["/one", "/two"]): Promise<void> {
  calls += 1;
  const messageId = `m${calls}`;
  const call = { userId: "u1", event: "Bought", messageId };
  const statuses = new Set<number>();
  const isTaken = async () => {
    const { status } = await deployment.send(source.writeKeys[0], "track", call);
    return statuses.add(status).has(200);
  };
  // A busy machine may be told to come again; nobody may be told that there is no such source.
  await until(isTaken, { timeoutMs: 30_000, what: () => `a 200; there were ${[...statuses]}` });
  expect([...statuses].filter((status) => status !== 503)).toEqual([200]);
  const has = (path: string) =>
    receiver.requestsTo(path).some(({ json, headers, signature }) => {
      return json["messageId"] === messageId && headers["x-team"] === "growth" && signature === "valid";
    });
  await until(() => paths.every(has), { timeoutMs: 30_000, what: `${messageId} at ${paths}` });
}

/** Leaves what a restore leaves that is killed before its first entry: every partition holds something. */
async function cutOffRestore(topic: string): Promise<void> {
  const producer = kafka.producer();
  await producer.send(markRecords(topic, restoreMarks("killed", PARTITIONS), "begun"));
  await producer.close();
  expect((await hookline(["doctor"])).out).toMatch(/half restored: .*suppressions/);
  const backup = await hookline(["backup", join(folder, "half.ndjson")]);
  expect([backup.code, backup.said]).toEqual([1, expect.stringContaining("half restored")]);
  const refused = await requestJson(`${deployment.controlUrl()}/v1/regulations`, { body: SUPPRESSION });
  expect(refused.status).toBe(503);
}

const lostOn = async (name: "ingest" | "control"): Promise<number> =>
  sumOfMetric(await metricsOf(deployment.service(name)), "hookline_configuration_lost");

async function untilLossIsSaid(): Promise<void> {
  const isSaid = async () => (await lostOn("ingest")) >= 1 && (await lostOn("control")) >= 2;
  await until(isSaid, { timeoutMs: 60_000, what: "the losses in the metrics" });
}

async function createAgain(names: readonly string[]): Promise<void> {
  await kafka.admin().deleteTopics(names);
  const areGone = async () => !(await kafka.admin().topicNames()).some((name) => names.includes(name));
  await until(areGone, { timeoutMs: 30_000, what: "the topics gone" });
  await untilLossIsSaid();
  await arrivesEverywhere();
  expect((await hookline(["doctor"])).out).toMatch(/have lost their records: .*source-config/);
  expect((await hookline(["topics", "apply"])).code).toBe(0);
}

test("a backup has everything, is the owner's alone, and holds no secret", async () => {
  await arrivesEverywhere();
  const { code, out } = await hookline(["backup", file, "--json"]);
  expect(code).toBe(0);
  const records = {
    "source-config": 1,
    "destination-config": 2,
    "audience-config": 1,
    suppression: 1,
    regulation: 1,
  };
  expect(JSON.parse(out)).toMatchObject({ file, records, unreadable: [] });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const text = await readFile(file, "utf8");
  expect(text).not.toContain("the secret");
  expect(text).not.toContain("growth");
  expect(text).toContain(destinations[0]?.id);
});

test("configuration topics are deleted and created again: what runs goes on and says so, what starts waits", async () => {
  const names = configurationTopics(deployment.topics).map(({ topic }) => topic.name);
  await createAgain(names);
  await untilLossIsSaid();
  await arrivesEverywhere();
  const refused = await requestJson(`${deployment.controlUrl()}/v1/sources`, { body: { name: "New" } });
  expect(refused.status).toBe(503);
  let isLateReady = false;
  const late = deployment.addProcess("ingest").then(() => {
    isLateReady = true;
  });
  const backup = await hookline(["backup", join(folder, "late.ndjson")]);
  expect([backup.code, backup.said]).toEqual([1, expect.stringContaining("they are lost")]);

  const wrongKey = { HOOKLINE_ENCRYPTION_KEYS: `other:${Buffer.alloc(32, 8).toString("base64")}` };
  const refusal = await hookline(["restore", file], wrongKey);
  expect([refusal.code, refusal.said]).toEqual([1, expect.stringContaining("no key test (2 destinations)")]);
  const namesake = { HOOKLINE_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 8).toString("base64")}` };
  const { said } = await hookline(["restore", file], namesake);
  expect(said).toContain("another key with the id test (2 destinations)");
  const untried = await hookline(["restore", file, "--dry-run"], wrongKey);
  expect(untried.code).toBe(1);
  expect(untried.said).toContain("no key test (2 destinations)");
  expect(untried.out).toContain("4 created\n");
  for (const { id } of destinations) expect(untried.out).toContain(`destination-config ${id}: left out`);
  const keyless = await hookline(["restore", file, "--dry-run"], { HOOKLINE_ENCRYPTION_KEYS: "" });
  expect([keyless.code, keyless.out]).toEqual([1, untried.out]);
  const tried = await hookline(["restore", file, "--dry-run"]);
  expect([tried.code, tried.out]).toEqual([0, expect.stringContaining("6 created")]);
  expect(isLateReady).toBe(false);
  const some = await hookline(["restore", file, "--skip-unreadable"], wrongKey);
  expect([some.code, some.out]).toEqual([1, expect.stringContaining("4 created\n")]);
  for (const { id } of destinations) expect(some.out).toContain(`destination-config ${id}: left out`);
  const restored = await hookline(["restore", file]);
  expect(restored).toMatchObject({ code: 0, out: expect.stringContaining("2 created\n") });
  const again = await hookline(["restore", file]);
  expect([again.code, again.out]).toEqual([0, expect.stringContaining("6 the same")]);
  await late;
  await until(async () => (await lostOn("ingest")) + (await lostOn("control")) === 0, {
    timeoutMs: 90_000,
    what: "the metrics to be well again",
  });
}, 480_000);

test("then every process, those that start too, works by what was restored", async () => {
  for (const name of ["ingest", "webhook-router", "deliverer", "control"] as const)
    await deployment.service(name).restart();
  await arrivesEverywhere();
  const suppressed = { userId: "gone", event: "Bought", messageId: "suppressed" };
  await deployment.send(source.writeKeys[0], "track", suppressed);
  await post("/v1/sources", { name: "New" });
  const [first] = destinations;
  const path = `/v1/destinations/${first?.id}`;
  const { status } = await requestJson(`${deployment.controlUrl()}${path}`, {
    method: "PATCH",
    body: { name: "Newer" },
  });
  expect(status).toBe(200);
  const restored = await hookline(["restore", file]);
  expect(restored.out).toContain(`destination-config ${first?.id}: newer in the topic: left`);
  await arrivesEverywhere();
  const isHere = receiver.requestsTo("/one").some(({ json }) => json["messageId"] === "suppressed");
  expect(isHere).toBe(false);
  expect(await deployment.deadLetters()).toEqual([]);
}, 480_000);

test("suppressions alone that are created again empty are believed by nobody, until they are restored", async () => {
  const { suppressions, suppressionsBegun } = deployment.topics;
  const isWitnessed = async () =>
    (await kafka.admin().offsets(suppressionsBegun.name)).some(({ high }) => high > 0);
  await until(isWitnessed, { timeoutMs: 30_000, what: "the witness" });
  await kafka.admin().deleteTopics([suppressions.name]);
  const isGone = async () => !(await kafka.admin().topicNames()).includes(suppressions.name);
  await until(isGone, { timeoutMs: 30_000, what: "the topic gone" });
  expect((await hookline(["doctor"])).out).toMatch(/have lost their records: .*suppressions/);
  expect((await hookline(["topics", "apply"])).code).toBe(0);
  expect((await hookline(["doctor"])).out).toMatch(/have lost their records: .*suppressions/);
  let isLateReady = false;
  const late = deployment.addProcess("ingest").then(() => {
    isLateReady = true;
  });
  // Who runs goes on with what it knows.
  const call = { userId: "gone", event: "Bought", messageId: "while lost" };
  await deployment.send(source.writeKeys[0], "track", call);
  await arrivesEverywhere();
  expect(receiver.requestsTo("/one").some(({ json }) => json["messageId"] === "while lost")).toBe(false);
  // One suppression of a new user would make the topic look whole to whoever starts.
  const refused = await requestJson(`${deployment.controlUrl()}/v1/regulations`, { body: SUPPRESSION });
  expect(refused).toMatchObject({
    status: 503,
    body: { detail: expect.stringContaining("it takes no changes until it is restored") },
  });
  expect((await hookline(["doctor"])).out).toMatch(/have lost their records: .*suppressions/);
  expect(isLateReady).toBe(false);
  await cutOffRestore(suppressions.name);
  expect(isLateReady).toBe(false);
  const restored = await hookline(["restore", file, "--only", "suppressions"]);
  expect([restored.code, restored.out]).toEqual([0, expect.stringContaining("1 created")]);
  await late;
  expect((await hookline(["doctor"])).out).not.toContain("half restored");
}, 480_000);
