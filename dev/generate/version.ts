// The version of package.json, wherever a file has to name it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Generated } from "./generated.ts";

const CHART = "deploy/helm/hookline/Chart.yaml";
const manifest = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
const { version: text } = JSON.parse(manifest) as { version: string };

export const generated: readonly Generated[] = [
  { file: "Dockerfile", place: /(?<=^ARG VERSION=).*$/m, text },
  { file: CHART, place: /(?<=^version: ).*$/m, text },
  { file: CHART, place: /(?<=^appVersion: ).*$/m, text },
];
