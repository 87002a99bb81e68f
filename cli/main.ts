// `hookline`: what bin/hookline.mjs runs on the right Node.
import { once } from "node:events";
import { processEnvironment } from "#runtime";
import { runCommand } from "./program.ts";
import { endWithReaders } from "./readers.ts";

const environment = processEnvironment();
endWithReaders();

// The parent process was killed: a service ends in order, everything else at once. The channel alone keeps
// nothing running.
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();

const exitCode = await runCommand(process.argv.slice(2), {
  environment,
  print: (line) => void process.stdout.write(`${line}\n`),
  write: (piece) => void process.stdout.write(piece),
  async drained() {
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
  },
  say: (line) => void process.stderr.write(`${line}\n`),
  isColoured: process.stdout.isTTY && process.stdout.hasColors(),
  standardInput: () => process.stdin,
  endWith: (code) => {
    process.exitCode = code;
  },
});
if (exitCode !== 0) process.exitCode = exitCode;
