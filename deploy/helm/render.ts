// Renders the chart with each of its examples into plain manifests: `node deploy/helm/render.ts FOLDER`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXAMPLES, manifestsOf } from "./helm.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("name the folder to write manifests to: node deploy/helm/render.ts FOLDER\n");
  process.exitCode = 2;
} else {
  mkdirSync(folder, { recursive: true });
  for (const example of EXAMPLES) writeFileSync(join(folder, example), await manifestsOf(example));
}
