// `npm run upgrade`: no accepted call is lost while every service of an old version is replaced by this one, or the other way round.
import { parseArgs } from "node:util";
import { startStack } from "#stack";
import { environment } from "#support/environment";
import { runUpgrade, type UpgradeOptions } from "./run.ts";

const HELP = `Starts every service of an old version, then replaces one after the other by this version while calls come in: old and new
side by side, the old one's end, and its disk taken over by a new one. With --back this version is replaced by the old one. Ends with 1 when
an accepted call did not arrive.

  npm run upgrade -- [--from HEAD] [--back] [--rate 20] [--step 50]

  --from  the old version, a commit or tag
  --back  a rollback: starts this version, and replaces it by the old one
  --rate  calls per second
  --step  calls that have to be delivered before and after each old process ends
  --help  this text`;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(options: Omit<UpgradeOptions, "stack" | "log">): Promise<number> {
  const stack = await startStack({ environment, log: say });
  try {
    const report = await runUpgrade({ ...options, stack, log: say });
    process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
    const failed = Object.values(report.exitCodes).some((code) => code !== 0);
    return report.lost.length > 0 || failed ? 1 : 0;
  } finally {
    await stack.stop();
  }
}

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "HEAD" },
    back: { type: "boolean", default: false },
    rate: { type: "string", default: "20" },
    step: { type: "string", default: "50" },
    help: { type: "boolean", default: false },
  },
});
const [rate, step] = [Number(values.rate), Number(values.step)];
if (values.help) say(HELP);
else if (!(rate > 0 && step > 0)) {
  say("--rate and --step are numbers above 0; see npm run upgrade -- --help");
  process.exitCode = 2;
} else {
  const { back: isBack, from: oldVersion } = values;
  process.exit(await main({ oldVersion, isBack, callsPerSecond: rate, callsPerStep: step }));
}
