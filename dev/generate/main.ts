// Writes every file that follows from others: `npm run generate`. With --check it names those that are stale instead, and ends with 1.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Generated } from "./generated.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Each is read when those before it are written: types of records come first, and the page of metrics links what the page of reasons has. */
const SOURCES: readonly (() => Promise<{ readonly generated: readonly Generated[] }>)[] = [
  () => import("./records.ts"),
  () => import("./topics.ts"),
  () => import("./configuration.ts"),
  () => import("./reasons.ts"),
  () => import("./metrics.ts"),
  () => import("./sdks.ts"),
  () => import("./rules.ts"),
  () => import("./dashboards.ts"),
  () => import("./version.ts"),
  () => import("./help.ts"),
  () => import("./services.ts"),
  () => import("./console-tables.ts"),
];
const isCheck = process.argv.includes("--check");

function settle({ file, place, text }: Generated): void {
  const path = join(ROOT, file);
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (place !== undefined && !place.test(before)) throw new Error(`${file} has no place for ${place}`);
  const after = place === undefined ? text : before.replace(place, () => text);
  if (after === before) return;
  if (isCheck) {
    process.stderr.write(`${file} is stale: run \`npm run generate\`\n`);
    process.exitCode = 1;
  } else writeFileSync(path, after);
}

for (const load of SOURCES) for (const each of (await load()).generated) settle(each);
