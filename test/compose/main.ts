// `npm run compose`: docker-compose.yml on a real engine, from the image's build to its end.
import { parseArgs } from "node:util";
import { Compose, engineAnswers } from "./compose.ts";
import { Scene } from "./scene.ts";
import { STAGES, type StageName } from "./stages.ts";

const HELP = `Brings everything up with docker compose, in a project of its own, and tries it: each container is killed and comes back, calls that
wait outlive a stop of everything, Prometheus and Alertmanager see every service, and with three brokers one goes and comes back. Ends with 1
when something does not come out so, and with 0, which it says, where no engine answers. Ports 8080, 8090, 9090 and 9093 have to be free.

  npm run compose -- [--three-brokers] [--stages build,up,kill,restart,observability,down]

  --three-brokers  with docker-compose.three-brokers.yml; stages build,up,broker,down unless given
  --stages         some of build, up, kill, restart, broker, observability, down
  --help           this text`;

const PROJECTS = { one: "hookline-tried", three: "hookline-tried-3" };
const ONE_BROKER: readonly StageName[] = ["build", "up", "kill", "restart", "observability", "down"];
const THREE_BROKERS: readonly StageName[] = ["build", "up", "broker", "down"];

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(stages: readonly StageName[], threeBrokers: boolean): Promise<number> {
  if (!(await engineAnswers())) {
    say("no container engine with compose answers: docker-compose.yml is not tried here");
    return 0;
  }
  const compose = new Compose(threeBrokers ? PROJECTS.three : PROJECTS.one, { threeBrokers });
  const scene = new Scene(compose, say);
  const report: Record<string, unknown> = {};
  try {
    for (const name of stages) {
      say(`-- ${name}`);
      Object.assign(report, await STAGES[name](scene));
    }
    return 0;
  } catch (error) {
    say(`failed: ${(error as Error).message}`);
    say(await compose.run("ps", "--all").catch(() => ""));
    // What whoever tries it step by step wants to look at stays.
    if (stages.includes("down")) await STAGES.down(scene).catch(() => undefined);
    return 1;
  } finally {
    process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  }
}

const { values } = parseArgs({
  options: {
    "three-brokers": { type: "boolean", default: false },
    stages: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const isStage = (name: string): name is StageName => Object.hasOwn(STAGES, name);
const threeBrokers = values["three-brokers"];
const stages = values.stages?.split(",") ?? (threeBrokers ? THREE_BROKERS : ONE_BROKER);
const isKnown = stages.every(isStage);
if (values.help) say(HELP);
else if (!isKnown) {
  say(`--stages takes some of ${Object.keys(STAGES)}; see npm run compose -- --help`);
  process.exitCode = 2;
} else process.exit(await main(stages.filter(isStage), threeBrokers));
