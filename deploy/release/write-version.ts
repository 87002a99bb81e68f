// Puts the version of package.json wherever a file has to name it: `node deploy/release/write-version.ts [--check]`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** By file, what stands before a version in it. */
const PLACES: Readonly<Record<string, readonly RegExp[]>> = {
  Dockerfile: [/(?<=^ARG VERSION=).*$/m],
  "deploy/helm/hookline/Chart.yaml": [/(?<=^version: ).*$/m, /(?<=^appVersion: ).*$/m],
};

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
for (const [file, places] of Object.entries(PLACES)) {
  const path = join(ROOT, file);
  const before = readFileSync(path, "utf8");
  const after = places.reduce((text, place) => text.replace(place, version), before);
  if (after === before) continue;
  if (process.argv.includes("--check")) {
    process.stderr.write(`${file} names another version than package.json: run \`npm run generate\`\n`);
    process.exitCode = 1;
  } else writeFileSync(path, after);
}
