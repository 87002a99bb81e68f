// Every service of one version is replaced by another one under load, as a rolling upgrade and a rollback do it.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SERVICE_NAMES, SERVICES, type ServiceName } from "#contract";
import { requestJson } from "#support/api";
import { type DeployedService, type Deployment, startDeployment } from "#support/deployment";
import { oldVersion } from "#support/old-version";
import { type Receiver, startReceiver } from "#support/receiver";
import type { ServiceProcess } from "#support/service";
import type { TestStack } from "#support/stack";
import { until } from "#support/until";
import { settingsOn } from "#support/wire";
import { type Account, accountOf } from "./account.ts";
import { Traffic } from "./traffic.ts";

export interface UpgradeOptions {
  readonly stack: TestStack;
  /** The old version, as git knows it. */
  readonly oldVersion: string;
  /** This version is replaced by the old one, instead of the other way round. */
  readonly isBack: boolean;
  readonly callsPerSecond: number;
  /** Calls that have to be delivered before and after each replaced process ends. */
  readonly callsPerStep: number;
  readonly log: (line: string) => void;
}

export interface UpgradeReport extends Account {
  /** The version that was replaced, and the one that replaced it; `this` is the clone's own. */
  readonly from: string;
  readonly to: string;
  /** Tries of the sender that got no 200. */
  readonly resent: number;
  /** Of the processes that were replaced. */
  readonly exitCodes: Readonly<Record<string, number>>;
}

/** The last is where the calls come in. */
const ORDER: readonly ServiceName[] = SERVICE_NAMES.toReversed();
const WAIT_MS = 120_000;
const PARTITIONS = 4;
const RETRY_DELAY_MS = 500;

interface Scene extends UpgradeOptions {
  readonly deployment: Deployment;
  readonly receiver: Receiver;
  readonly traffic: Traffic;
  readonly folder: string;
  /** Addresses of ingest; changes while it is replaced. */
  readonly ingestUrls: string[];
  /** The code of those that come; undefined: this version's. */
  readonly laterRoot: string | undefined;
}

/** Rejects when something does not get ready or nothing arrives any more. */
export async function runUpgrade(options: UpgradeOptions): Promise<UpgradeReport> {
  const old = await oldVersion(options.oldVersion);
  const { isBack } = options;
  const [firstRoot, laterRoot] = isBack ? [undefined, old.root] : [old.root, undefined];
  const [from, to] = isBack ? ["this", old.commit] : [old.commit, "this"];
  const folder = await mkdtemp(join(tmpdir(), "hookline-upgrade-"));
  const receiver = await startReceiver();
  const diskOf = (name: string) => ({ HOOKLINE_DATA_DIR: join(folder, name) });
  options.log(`starting version ${from}`);
  const prefix = `upgrade-${randomBytes(4).toString("hex")}-`;
  await old.provision(creation(options.stack, prefix));
  // The old version has made its topics and schemas at its time. Now those of the new one, and the processes that are to be replaced.
  const deployment = await startDeployment({
    stack: options.stack,
    prefix,
    partitions: PARTITIONS,
    retryDelaysMs: [RETRY_DELAY_MS],
    ...(firstRoot === undefined ? {} : { root: firstRoot }),
    settingsOf: { control: diskOf("control"), "webhook-router": diskOf("webhook-router") },
  });
  try {
    const processor = await deployment.addProcess(
      "audience-processor",
      diskOf("audience-processor"),
      firstRoot,
    );
    const writeKey = await configure(deployment, receiver);
    const ingestUrls = [deployment.ingestUrl()];
    const { callsPerSecond } = options;
    const traffic = new Traffic({ writeKey, callsPerSecond, urls: () => ingestUrls });
    const scene = { ...options, deployment, receiver, traffic, folder, ingestUrls, laterRoot };
    const exitCodes: Record<string, number> = {};
    for (const name of ORDER) {
      const before = name === "audience-processor" ? processor : deployment.service(name as DeployedService);
      exitCodes[name] = await replace(scene, name, before);
    }
    await traffic.stop();
    return { from, to, resent: traffic.resent, exitCodes, ...(await account(scene)) };
  } finally {
    await deployment.stop();
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
    await old.remove();
  }
}

function creation(stack: TestStack, prefix: string): Record<string, string> {
  return {
    ...settingsOn(stack, { prefix, retryDelaysMs: [RETRY_DELAY_MS] }),
    HOOKLINE_PARTITIONS: String(PARTITIONS),
    HOOKLINE_PROFILE_EVENTS_RETENTION: "1d",
  };
}

/** A source whose calls go to one webhook, and an audience whose members go to another. Gives the write key. */
async function configure(deployment: Deployment, receiver: Receiver): Promise<string> {
  const source = await deployment.control.createSource();
  for (const [sourceId, path] of [
    [source.id, "/calls"],
    ["spa_default", "/members"],
  ] as const)
    await deployment.control.createDestination({
      sourceIds: [sourceId],
      webhooks: [{ url: receiver.url(path) }],
    });
  const audiences = `${deployment.controlUrl()}/v1/audiences`;
  const definition = { trait: "plan", op: "eq", value: "pro" };
  const { body } = await requestJson<{ id: string }>(audiences, { body: { name: "Pro", definition } });
  const isLive = async () =>
    (await requestJson<{ status: string }>(`${audiences}/${body.id}`)).body.status === "live";
  await until(isLive, { timeoutMs: WAIT_MS, what: "the audience to be live" });
  return source.writeKeys[0];
}

/** A process beside the one that goes, its end, and where it had a disk a successor on it. Gives the exit code of the one that went. */
async function replace(scene: Scene, name: ServiceName, going: ServiceProcess): Promise<number> {
  const { deployment, folder, ingestUrls, laterRoot, log } = scene;
  const start = (disk: string) =>
    deployment.addProcess(name, { HOOKLINE_DATA_DIR: join(folder, disk) }, laterRoot);
  const beside = await start(`${name}-2`);
  if (name === "ingest") ingestUrls.push(`http://127.0.0.1:${beside.ports["ingestPort"]}`);
  await delivered(scene);
  log(`${name}: both versions side by side`);
  const exitCode = await going.stop();
  if (name === "ingest") ingestUrls.shift();
  // It takes over the disk of the one that was replaced.
  if (SERVICES[name].hasDisk) await start(name);
  await delivered(scene);
  log(`${name}: the one that was replaced ended with ${exitCode}`);
  return exitCode;
}

/** Resolves when so many more calls, and as many changes of the audience, have arrived. */
async function delivered({ callsPerStep, receiver }: Scene): Promise<void> {
  await Promise.all(
    ["/calls", "/members"].map(async (path) => {
      const wanted = receiver.requestsTo(path).length + callsPerStep;
      const what = () => `${wanted} requests at ${path}; there are ${receiver.requestsTo(path).length}`;
      await until(() => receiver.requestsTo(path).length >= wanted, { timeoutMs: WAIT_MS, what });
    }),
  );
}

/** After the last call was accepted: waits for what is missing, and accounts for all of it. */
async function account({ receiver, traffic }: Scene): Promise<Account> {
  const usersAt = (path: string) => receiver.requestsTo(path).map(({ json }) => String(json["userId"]));
  const now = () => accountOf(traffic.accepted, { calls: usersAt("/calls"), members: usersAt("/members") });
  await until(() => now().lost.length === 0, { timeoutMs: WAIT_MS, what: "all calls to arrive" }).catch(
    () => undefined,
  );
  return now();
}
