import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Environment, SettingsOf } from "#runtime";
import { makeRunFolder, type Stack, startStack } from "#stack";
import type { settings as schema } from "./config.ts";
import { type Demo, startDemo } from "./demo.ts";
import { developmentChoices, listenChoices } from "./development.ts";
import type { Ending } from "./ending.ts";
import { portProblems, type WantedPort } from "./ports.ts";
import { type Product, startProduct } from "./product.ts";
import { metricsPortOf, STARTED_SERVICES } from "./services.ts";

const ROOT = join(import.meta.dirname, "../..");

export interface RunOptions {
  readonly settings: SettingsOf<typeof schema>;
  readonly environment: Environment;
  readonly say: (line: string) => void;
  readonly ending: Pick<Ending, "onStarted" | "onStopped">;
}

/** Where this start keeps its things. */
interface Folders {
  readonly run: string;
  readonly key: string;
  readonly data: string | undefined;
}

async function makeFolders({ settings: { start }, ending }: RunOptions): Promise<Folders> {
  const cache = resolve(ROOT, start.cacheDir);
  if (start.dataDir === undefined) {
    const run = await makeRunFolder(cache);
    ending.onStopped(() => rm(run, { recursive: true, force: true }));
    return { run, key: cache, data: undefined };
  }
  const data = resolve(ROOT, start.dataDir);
  return { run: data, key: data, data };
}

function wantedPorts({ settings: { start }, environment }: RunOptions): WantedPort[] {
  const hosts = { ...environment, ...listenChoices(environment).variables };
  const hostOf = (name: string): string => hosts[`HOOKLINE_${name}_HOST`] ?? "127.0.0.1";
  const metrics = STARTED_SERVICES.map((service) => ({
    host: hostOf("METRICS"),
    port: metricsPortOf(service, start.metricsPort),
    what: `metrics of ${service}`,
    variable: "HOOKLINE_METRICS_PORT",
  }));
  return [
    { host: hostOf("INGEST"), port: start.ingestPort, what: "ingest", variable: "HOOKLINE_INGEST_PORT" },
    { host: hostOf("CONTROL"), port: start.controlPort, what: "control", variable: "HOOKLINE_CONTROL_PORT" },
    ...metrics,
  ];
}

async function refuseTakenPorts(options: RunOptions): Promise<void> {
  const problems = await portProblems(wantedPorts(options));
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

async function bringUpStack({ environment, say, ending }: RunOptions, folders: Folders): Promise<Stack> {
  say("Bringing up Kafka and the schema registry ...");
  const kept = folders.data === undefined ? {} : { dataFolder: join(folders.data, "kafka") };
  const stack = await startStack({ environment, log: say, ...kept });
  ending.onStarted(stack.stop);
  return stack;
}

async function bringUpProduct(options: RunOptions, folders: Folders, stack: Stack): Promise<Product> {
  const { settings, environment, say, ending } = options;
  const { variables, notes } = await developmentChoices(environment, folders.key);
  const product = await startProduct({
    stack,
    environment: {
      ...environment,
      ...variables,
      HOOKLINE_INGEST_PORT: String(settings.start.ingestPort),
      HOOKLINE_CONTROL_PORT: String(settings.start.controlPort),
      HOOKLINE_DATA_DIR: join(folders.run, "services"),
    },
    metricsPort: settings.start.metricsPort,
    logFolder: join(folders.run, "logs"),
    compileCache: join(resolve(ROOT, settings.start.cacheDir), "node"),
    say,
    onStarted: (stop) => ending.onStarted(stop),
  });
  if (notes.length > 0) say(`For development only: ${notes.join("; ")}`);
  return product;
}

async function bringUpDemo(options: RunOptions, product: Product): Promise<Demo | undefined> {
  const { settings, say, ending } = options;
  if (!settings.start.demo) return undefined;
  const { ingestUrl, controlUrl } = product;
  const demo = await startDemo({ ingestUrl, controlUrl, token: demoToken(settings), say });
  ending.onStarted(demo.close);
  say(
    `Demo: a source with write key ${demo.writeKey}, and a destination with the webhook ${demo.webhookUrl}`,
  );
  return demo;
}

function curlLine(ingestUrl: string, writeKey: string): string {
  const call = '{"userId":"grace","event":"Signed Up","properties":{"plan":"free"}}';
  return `curl ${ingestUrl}/v1/track -u '${writeKey}:' -H 'content-type: application/json' -d '${call}'`;
}

async function showDemo({ sendCalls, writeKey }: Demo, ingestUrl: string, say: (line: string) => void) {
  say(`Send a call:\n\n  ${curlLine(ingestUrl, writeKey)}\n`);
  say(
    "Calls as they arrive at the demo webhook, with the time since ingest accepted them (Ctrl-C ends everything):",
  );
  await sendCalls();
}

/** Brings up everything, in order, and says when it is ready. Rejects at the first thing that fails. */
export async function run(options: RunOptions): Promise<void> {
  await refuseTakenPorts(options);
  const folders = await makeFolders(options);
  const stack = await bringUpStack(options, folders);
  const product = await bringUpProduct(options, folders, stack);
  const demo = await bringUpDemo(options, product);
  const { ingestUrl, controlUrl } = product;
  options.say(`\nHookline is ready: ingest ${ingestUrl}, control ${controlUrl}\n`);
  if (demo !== undefined) await showDemo(demo, ingestUrl, options.say);
}

/** One that may make the demo's source and destination, if it is known in full. */
function demoToken({ api }: RunOptions["settings"]): string | undefined {
  const able = api.tokens.find(
    ({ scopes, text }) => text !== undefined && scopes.includes("read") && scopes.includes("write"),
  );
  return able?.text;
}
