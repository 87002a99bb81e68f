// Every process under a principal of its own, on a Kafka that allows it what `hookline topics acls` lists and nothing else.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startChild } from "#stack";
import { requestJson } from "#support/api";
import { type Certificate, createCertificate } from "#support/certificates";
import { type Deployment, startDeployment } from "#support/deployment";
import { environment } from "#support/environment";
import { type GrantedRule, grant, groupIds, refusalOfWrite } from "#support/kafka-access";
import { type Receiver, startReceiver } from "#support/receiver";
import { scratchFolder } from "#support/scratch-folder";
import { type SecuredKafka, startSecuredKafka } from "#support/secured-kafka";
import { useStack } from "#support/stack";
import { until } from "#support/until";

const START_TIMEOUT_MS = 240_000;
const WAIT_MS = 60_000;
const PREFIX = "secured-";
const PROGRAM = join(import.meta.dirname, "../../bin/hookline.mjs");
/** How each process says who it is. */
const LOGINS = {
  ingest: "scram-sha-512",
  "webhook-router": "plain",
  deliverer: "certificate",
  "audience-processor": "scram-sha-256",
  control: "scram-sha-512",
  topics: "plain",
  backup: "scram-sha-512",
} as const;
type Process = keyof typeof LOGINS;

const KEY = `test:${Buffer.alloc(32, 7).toString("base64")}`;
const passwordOf = (process: string): string => `password of ${process}`;
const userOf = (process: string): string => `hookline-${process}`;

let folder: string;
let authority: Certificate;
let kafka: SecuredKafka;
let registryUrl: string;
let receiver: Receiver;
let deployment: Deployment;

/** What of a process's settings says how it reaches Kafka. */
function loginOf(process: Process): Record<string, string> {
  const tls = { HOOKLINE_KAFKA_TLS: "true", NODE_EXTRA_CA_CERTS: join(folder, "authority.pem") };
  const mechanism = LOGINS[process];
  if (mechanism === "certificate") {
    const { cert, key } = createCertificate({ commonName: userOf(process), issuer: authority });
    return {
      ...tls,
      HOOKLINE_KAFKA_BROKERS: kafka.mutualTls,
      HOOKLINE_KAFKA_TLS_CERTIFICATE: cert,
      HOOKLINE_KAFKA_TLS_KEY: key,
    };
  }
  return {
    ...tls,
    HOOKLINE_KAFKA_BROKERS: kafka.sasl,
    HOOKLINE_KAFKA_SASL_MECHANISM: mechanism,
    HOOKLINE_KAFKA_SASL_USERNAME: userOf(process),
    HOOKLINE_KAFKA_SASL_PASSWORD: passwordOf(process),
  };
}

/** Settings that every process of the deployment has, without its login. */
const shared = (): Record<string, string> => ({
  HOOKLINE_SCHEMA_REGISTRY_URL: registryUrl,
  HOOKLINE_TOPIC_PREFIX: PREFIX,
  HOOKLINE_RETRY_DELAYS: "500ms",
  HOOKLINE_PARTITIONS: "2",
  HOOKLINE_PROFILE_EVENTS_RETENTION: "1d",
});

/** Runs the `hookline` program to its end. */
async function hookline(args: readonly string[], settings: Record<string, string>) {
  const lines: string[] = [];
  const child = await startChild({
    command: process.execPath,
    args: [PROGRAM, ...args],
    environment: { PATH: environment["PATH"], ...shared(), ...settings },
    onLine: (line) => lines.push(line),
  });
  return { code: await child.exited, out: lines.join("\n") };
}

async function startKafka(): Promise<void> {
  authority = createCertificate({ commonName: "Authority", isAuthority: true });
  await writeFile(join(folder, "authority.pem"), authority.cert);
  const { cert, key } = createCertificate({
    commonName: "broker",
    hosts: ["127.0.0.1"],
    issuer: authority,
  });
  const users = Object.keys(LOGINS).map((process) => [userOf(process), passwordOf(process)]);
  kafka = await startSecuredKafka({
    environment,
    log: () => undefined,
    tls: { key, certificate: cert, authority: authority.cert },
    users: Object.fromEntries(users),
  });
}

beforeAll(async () => {
  folder = scratchFolder();
  ({ registryUrl } = await useStack());
  [receiver] = await Promise.all([startReceiver(), startKafka()]);
  const listed = await hookline(["topics", "acls", "--json"], {});
  const rules = JSON.parse(listed.out) as readonly GrantedRule[];
  await grant([kafka.open], rules);
  const applied = await hookline(["topics", "apply"], loginOf("topics"));
  expect(applied).toMatchObject({ code: 0 });
  deployment = await startDeployment({
    prefix: PREFIX,
    stack: { brokers: [kafka.open], registryUrl },
    partitions: 2,
    retryDelaysMs: [500],
    settings: { HOOKLINE_RETRY_WINDOW: "1s", HOOKLINE_ENCRYPTION_KEYS: KEY },
    settingsOf: {
      ingest: loginOf("ingest"),
      "webhook-router": { ...loginOf("webhook-router"), HOOKLINE_RECORDED_CALLS: "all" },
      deliverer: loginOf("deliverer"),
      control: loginOf("control"),
    },
  });
  await deployment.addProcess("audience-processor", loginOf("audience-processor"));
}, START_TIMEOUT_MS);

afterAll(async () => {
  await receiver?.close();
  await kafka?.stop();
}, 180_000);

interface Answer {
  readonly id: string;
  readonly replayId: string;
  readonly status: string;
  readonly state: string;
  readonly data: readonly unknown[];
  readonly accepted: readonly { readonly outcome: string }[] | null;
}

/** Asks the control API until the answer is as wanted. */
async function asked(path: string, isWanted: (answer: Answer) => boolean): Promise<Answer> {
  let last: unknown;
  return await until(
    async () => {
      const { body } = await requestJson<Answer>(`${deployment.controlUrl()}${path}`);
      last = body;
      return isWanted(body) && body;
    },
    { timeoutMs: WAIT_MS, what: () => `${path}; it says ${JSON.stringify(last)}` },
  );
}

const make = async (path: string, body: unknown): Promise<Answer> =>
  (await requestJson<Answer>(`${deployment.controlUrl()}${path}`, { body })).body;

const came = (path: string, type: string, count = 1) =>
  until(() => receiver.requestsTo(path).filter(({ json }) => json["type"] === type).length >= count, {
    timeoutMs: WAIT_MS,
    what: `${count} ${type} calls at ${path}`,
  });

test("calls are delivered, retried, dead-lettered and sent again", async () => {
  const source = await deployment.control.createSource();
  const track = (userId: string) =>
    deployment.send(source.writeKeys[0], "track", { userId, event: "E", messageId: `of-${userId}` });
  const well = { sourceIds: [source.id], webhooks: [{ url: receiver.url("/well") }] };
  await deployment.control.createDestination(well);
  receiver.script("/ill", { status: 503 });
  const ill = await deployment.control.createDestination({
    ...well,
    webhooks: [{ url: receiver.url("/ill") }],
  });
  expect(await track("ada")).toMatchObject({ status: 200 });
  await came("/well", "track");
  await asked(
    `/v1/calls/of-ada?sourceId=${source.id}`,
    ({ accepted }) => accepted?.[0]?.outcome === "routed",
  );
  const letters = `/v1/dead-letters?destinationId=${ill.id}`;
  await asked(letters, ({ data }) => data.length === 1);
  // Asked of the deliverers over a topic that both write.
  const retried = await make(`/v1/destinations/${ill.id}/retry`, {});
  expect(retried).not.toHaveProperty("title");
  const { replayId } = await make("/v1/dead-letters/replay", { destinationId: ill.id });
  await asked(`/v1/replays/${replayId}`, ({ state }) => state === "finished");
  await asked(`/v1/destinations/${ill.id}/attempts`, ({ data }) => data.length >= 2);
}, 180_000);

test("audiences, imports and deletions work", async () => {
  const source = await deployment.control.createSource();
  const webhooks = [{ url: receiver.url("/members") }];
  await deployment.control.createDestination({ sourceIds: ["spa_default", source.id], webhooks });
  const definition = { trait: "plan", op: "eq", value: "pro" };
  const { id } = await make("/v1/audiences", { name: "Pro", definition });
  await asked(`/v1/audiences/${id}`, ({ status }) => status === "live");
  const identified = { userId: "eve", traits: { plan: "pro" } };
  await deployment.send(source.writeKeys[0], "identify", identified);
  // The call itself, and the one that says that eve came in.
  await came("/members", "identify", 2);
  const list = await make("/v1/audiences", { name: "List", kind: "list" });
  const path = `/v1/audiences/${list.id}/members/one`;
  const headers = { "content-type": "text/csv" };
  await requestJson(`${deployment.controlUrl()}${path}`, { method: "PUT", headers, body: "userId\nbob\n" });
  await asked(`/v1/audiences/${list.id}/imports/one`, ({ status }) => status === "applied");
  await came("/members", "identify", 3);
  const regulation = { regulationType: "SUPPRESS_WITH_DELETE", subjectType: "USER_ID", subjectIds: ["eve"] };
  const { id: regulationId } = await make("/v1/regulations", regulation);
  await asked(`/v1/regulations/${regulationId}`, ({ status }) => status === "finished");
  await came("/members", "delete");
}, 180_000);

test("what is configured is backed up and brought back beside control", async () => {
  const file = join(folder, "backup.ndjson");
  const settings = { ...loginOf("backup"), HOOKLINE_ENCRYPTION_KEYS: KEY };
  expect(await hookline(["backup", file], settings)).toMatchObject({ code: 0 });
  const restored = await hookline(["restore", file], settings);
  expect(restored).toMatchObject({ code: 0, out: expect.stringMatching(/\d+ the same/) });
  expect(restored.out).not.toMatch(/created|replaced/);
  // Control takes the partitions back.
  const { id } = await deployment.control.createSource();
  await asked(`/v1/sources/${id}`, (source) => source.id === id);
}, 180_000);

test("nothing else is allowed", async () => {
  const login = {
    brokers: [kafka.sasl],
    authority: authority.cert,
    username: userOf("ingest"),
    password: passwordOf("ingest"),
  };
  const refused = /not authorized to access topics/i;
  // Ingest reads this one, and may not write it; of the other it may not even know.
  expect(await refusalOfWrite(login, `${PREFIX}source-config`)).toMatch(refused);
  expect(await refusalOfWrite(login, `${PREFIX}destination-config`)).toMatch(refused);
  expect(await refusalOfWrite({ ...login, password: "another" }, `${PREFIX}calls`)).toMatch(
    /authentication failed/i,
  );
  const wrong = { ...loginOf("topics"), HOOKLINE_KAFKA_SASL_PASSWORD: "another" };
  const verified = await hookline(["topics", "verify"], wrong);
  expect(verified).toMatchObject({ code: 5, out: expect.stringMatching(/authentication failed/i) });
});

test("no process was refused anything, and each ends in order with its tables' groups deleted", async () => {
  const names = ["ingest", "webhook-router", "deliverer", "control"] as const;
  const lines = names.flatMap((name) => deployment.service(name).logs.map((line) => JSON.stringify(line)));
  expect(lines.filter((line) => /AUTHORI[SZ]|not authori[sz]ed/i.test(line))).toEqual([]);
  expect(await deployment.stop()).toEqual({ ingest: 0, "webhook-router": 0, deliverer: 0, control: 0 });
  expect(await groupIds([kafka.open], "hookline-")).toEqual([]);
}, 180_000);
