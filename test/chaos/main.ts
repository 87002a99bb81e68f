// `npm run chaos`: no acknowledged call is lost or altered, whatever happens to the processes, the brokers and the network.
import { type ChaosArguments, HELP, readArguments } from "./arguments.ts";
import { isConserved, reportLines, reportOf } from "./report.ts";
import { runConservation } from "./run.ts";

function writeTo(stream: NodeJS.WriteStream): (line: string) => void {
  return (line) => void stream.write(`${line}\n`);
}

async function main(options: ChaosArguments): Promise<number> {
  const log = writeTo(options.isJson ? process.stderr : process.stdout);
  const report = reportOf(await runConservation({ ...options, log }), options);
  for (const line of reportLines(report)) log(line);
  if (options.isJson) writeTo(process.stdout)(JSON.stringify(report, undefined, 2));
  return isConserved(report) ? 0 : 1;
}

/** undefined, when they are wrong, after that was said. */
function givenArguments(): ChaosArguments | "help" | undefined {
  try {
    return readArguments(process.argv.slice(2));
  } catch (error) {
    writeTo(process.stderr)(`${(error as Error).message}; see npm run chaos -- --help`);
    return undefined;
  }
}

const given = givenArguments();
if (given === undefined) process.exitCode = 2;
else if (given === "help") writeTo(process.stdout)(HELP);
// Not by itself: after half an hour Node went round for ever in its own cleanup (Environment::CleanupHandles), its work all done.
else process.exit(await main(given));
