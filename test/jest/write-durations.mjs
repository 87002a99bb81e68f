// `npm test -- --json --outputFile=<file>`, then `npm run durations -- <file>`: keeps how long suites took, which is what
// their order is made from.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readDurations, suiteOf, updated } from "./suites.ts";

const ROOT = join(import.meta.dirname, "../..");
const [file = ".cache/ci/result.json"] = process.argv.slice(2);
const result = JSON.parse(readFileSync(file, "utf8"));
const known = readDurations();
const takesTurns = (path) => suiteOf(join(ROOT, path), known).takesTurns;
const durations = updated(known, result, { exists: existsSync, takesTurns });
writeFileSync(join(import.meta.dirname, "durations.json"), `${JSON.stringify(durations, undefined, 2)}\n`);
