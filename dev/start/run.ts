import { join } from "node:path";
import { type Stack, startStack } from "#stack";
import { type Demo, startDemo } from "../../cli/demo/demo.ts";
import { metricsPortOf, startedServices } from "../../cli/started-services.ts";
import { buildConsole } from "./console.ts";
import { developmentChoices, listenChoices } from "./development.ts";
import { type Folders, openFolders, ownFolder, withFreshHint } from "./folders.ts";
import { portProblems, type WantedPort } from "./ports.ts";
import { type Product, startProduct } from "./product.ts";
import { ableToken, type RunOptions } from "./run-options.ts";
import { tellOtherShells } from "./tell-other-shells.ts";

function wantedPorts({ settings: { start }, environment }: RunOptions): WantedPort[] {
  const hosts = { ...environment, ...listenChoices(environment).variables };
  const hostOf = (name: string): string => hosts[`HOOKLINE_${name}_HOST`] ?? "127.0.0.1";
  const metrics = startedServices(environment).map((service) => ({
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
  const { data, isDataNeeded } = folders;
  const kept = data && { dataFolder: join(data.folder, "kafka"), isDataFolderNeeded: isDataNeeded };
  try {
    const stack = await startStack({ environment, log: say, ...kept });
    ending.onStarted(stack.stop);
    return stack;
  } catch (error) {
    throw data?.isOfEarlier === true ? withFreshHint(error, data.folder) : error;
  }
}

/** The folder of this start: logs and the services' state. */
async function runFolder(options: RunOptions, folders: Folders, stack: Stack): Promise<string> {
  const { data, isDataNeeded } = folders;
  if (data === undefined) return ownFolder(folders, options);
  // Docker's containers keep nothing, and what services know belongs to the Kafka that they know it of.
  if (stack.rung !== "jvm" && !isDataNeeded) {
    options.say("The data goes at the end: containers keep none (with Java 17 and Maven it would be kept)");
    return ownFolder(folders, options);
  }
  await data.markWhole();
  return data.folder;
}

async function bringUpProduct(options: RunOptions, folders: Folders, stack: Stack): Promise<Product> {
  const { settings, environment, say, ending } = options;
  const { variables, notes } = await developmentChoices(environment, folders.key);
  const run = await runFolder(options, folders, stack);
  const product = await startProduct({
    stack,
    environment: {
      ...environment,
      ...variables,
      HOOKLINE_INGEST_PORT: String(settings.start.ingestPort),
      HOOKLINE_CONTROL_PORT: String(settings.start.controlPort),
    },
    metricsPort: settings.start.metricsPort,
    dataFolder: join(run, "services"),
    logFolder: join(run, "logs"),
    compileCache: join(folders.cache, "node"),
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
  const { hasAudiences } = settings.switch;
  const demo = await startDemo({
    ...{ ingestUrl, controlUrl, token: ableToken(settings), say },
    hasAudiences,
  });
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
  const folders = await openFolders(options);
  const [stack] = await Promise.all([bringUpStack(options, folders), buildConsole(options)]);
  const product = await bringUpProduct(options, folders, stack);
  const demo = await bringUpDemo(options, product);
  const { ingestUrl, controlUrl } = product;
  const shell = await tellOtherShells(options, { folders, stack, product, demo });
  options.say(`\nHookline is ready: ingest ${ingestUrl}, control ${controlUrl}\n`);
  if (options.settings.console.hasConsole) options.say(`The console is at ${controlUrl}/console/\n`);
  options.say(`For \`hookline\` and the README's commands in another shell:\n\n${shell}\n`);
  if (demo !== undefined) await showDemo(demo, ingestUrl, options.say);
}
