// `npm run console:build`: builds the console; with --if-stale only where it is missing or its sources have changed.
import { buildConsole, isFresh } from "./build.ts";

if (!process.argv.includes("--if-stale") || !isFresh()) {
  const beganAtMs = performance.now();
  await buildConsole();
  process.stdout.write(`The console is built (${((performance.now() - beganAtMs) / 1000).toFixed(1)} s)\n`);
}
