// `npm run chaos`: no acknowledged call is lost or altered, whatever happens to the processes, the brokers and the network.
import { HELP, readArguments } from "./arguments.ts";
import { isConserved, reportLines, reportOf } from "./report.ts";
import { runConservation } from "./run.ts";

function writeTo(stream: NodeJS.WriteStream): (line: string) => void {
  return (line) => void stream.write(`${line}\n`);
}

async function main(): Promise<number> {
  const options = readArguments(process.argv.slice(2));
  if (options === "help") {
    writeTo(process.stdout)(HELP);
    return 0;
  }
  const log = writeTo(options.isJson ? process.stderr : process.stdout);
  const report = reportOf(await runConservation({ ...options, log }), options);
  for (const line of reportLines(report)) log(line);
  if (options.isJson) writeTo(process.stdout)(JSON.stringify(report, undefined, 2));
  return isConserved(report) ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 2;
}
