// What is tried, in order. Each rejects when it does not come out as it should; what it gives goes into the report.
import { SERVICE_NAMES } from "#contract";
import { requestJson } from "#support/api";
import { until } from "#support/until";
import { type Scene, stopwatch } from "./scene.ts";

type Stage = (scene: Scene) => Promise<unknown>;

const WAITING_CALLS = 20;
const PROMETHEUS = "http://127.0.0.1:9090";
const ALERTMANAGER = "http://127.0.0.1:9093";
const WATCH_MS = 120_000;

/** compose's own build of the image. */
const build: Stage = async ({ compose }) => {
  const seconds = stopwatch();
  await compose.run("build");
  return { buildSeconds: seconds() };
};

/** From nothing to ready, and calls of the demo's source delivered. */
const up: Stage = async (scene) => {
  const seconds = stopwatch();
  await scene.compose.run("up", "--detach", "--wait");
  const readySeconds = seconds();
  await scene.send("first", 5);
  await scene.arrived("first", 5);
  return { readySeconds, imageMegabytes: Math.round((await scene.compose.imageBytes()) / 1e6) };
};

/** Each process ends without warning, and the engine's own start of it is enough. */
const kill: Stage = async (scene) => {
  const recoverySeconds: Record<string, number> = {};
  for (const service of [...SERVICE_NAMES, "kafka", "registry"])
    recoverySeconds[service] = await scene.secondsToRecover(service);
  await scene.send("after-the-kills", 5);
  await scene.arrived("after-the-kills", 5);
  return { recoverySeconds };
};

/** Calls that wait for their webhook outlive a stop of everything. */
const restart: Stage = async (scene) => {
  const { compose } = scene;
  await compose.run("stop", "demo");
  await scene.send("waiting", WAITING_CALLS);
  const stopping = stopwatch();
  await compose.run("stop");
  const stopSeconds = stopping();
  const starting = stopwatch();
  await compose.run("up", "--detach", "--wait");
  const startSeconds = starting();
  await scene.arrived("waiting", WAITING_CALLS);
  return { stopSeconds, startSeconds, waitingCallsArrived: WAITING_CALLS };
};

/** With three brokers: calls come in and arrive while one is away, and it is healthy again by itself. */
const broker: Stage = async (scene) => {
  const { compose } = scene;
  await compose.run("kill", "kafka-2");
  await scene.send("without-a-broker", WAITING_CALLS);
  await scene.arrived("without-a-broker", WAITING_CALLS);
  const seconds = stopwatch();
  await compose.run("up", "--detach", "--wait", "kafka-2");
  const brokerBackSeconds = seconds();
  await scene.send("with-all-brokers", 5);
  await scene.arrived("with-all-brokers", 5);
  return { brokerBackSeconds, recoverySeconds: { "kafka-3": await scene.secondsToRecover("kafka-3") } };
};

interface Targets {
  readonly data: {
    readonly activeTargets: readonly { readonly health: string; readonly labels: { readonly job: string } }[];
  };
}

type Alerts = readonly { readonly labels: { readonly alertname: string } }[];

/** Prometheus has every service, with the rules that are shipped, and Alertmanager gets what it fires. */
const observability: Stage = async ({ compose }) => {
  await compose.run("up", "--detach", "--wait", "prometheus", "alertmanager");
  const wanted = SERVICE_NAMES.map((service) => `hookline-${service}`).toSorted();
  let seen: readonly string[] = [];
  const areScraped = async () => {
    const { body } = await requestJson<Targets>(`${PROMETHEUS}/api/v1/targets`);
    const healthy = body.data.activeTargets.filter(({ health }) => health === "up");
    seen = healthy.map(({ labels }) => labels.job).toSorted();
    return wanted.every((job) => seen.includes(job));
  };
  await until(areScraped, { timeoutMs: WATCH_MS, what: () => `${wanted} to be scraped; there are ${seen}` });
  const isTold = async () => {
    const { body } = await requestJson<Alerts>(`${ALERTMANAGER}/api/v2/alerts`);
    return body.some(({ labels }) => labels.alertname === "HooklineWatchdog");
  };
  await until(isTold, { timeoutMs: WATCH_MS, what: "Alertmanager to have the alert that always fires" });
  return { scrapedJobs: seen };
};

/** Removes what was made, its volumes too. */
const down: Stage = async ({ compose }) => {
  await compose.run("--profile", "observability", "down", "--volumes", "--timeout", "60");
  return {};
};

export const STAGES = { build, up, kill, restart, broker, observability, down } as const;
export type StageName = keyof typeof STAGES;
