// Prints how large the tree is, by what it is for: `npm run check:size`. It refuses nothing; the goals are those of the house.
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { trackedFiles } from "./tracked-files.ts";

const ROOT = join(import.meta.dirname, "../..");
const LOCKS = /(^|\/)(package-lock\.json|Cargo\.lock|go\.sum)$/;
const CODE = /\.(tsx?|mjs|cjs|go|py|java|rs|sh)$/;
/** Written by a generator, or kept as it was released or measured. */
const RECORDED =
  /\.generated\.|(^|\/)released-|^deploy\/grafana\/dashboards\/.*\.json$|hookline\.rules\.yaml$|^clients\/vectors\/|-corpus\.json$/;
const TESTS = /^(test|packages\/testing)\/|\.test\.ts$|_test\.go$|\/fixtures\//;
const LONG_LINES = 250;
const SHORT_LINES = 20;

type Kind = "product" | "tests" | "recorded and generated";

interface Counted {
  readonly file: string;
  readonly lines: number;
  readonly words: number;
}

function counted(file: string): Counted {
  const text = readFileSync(join(ROOT, file), "utf8");
  return {
    file,
    lines: text.split("\n").length - 1,
    words: text.split(/\s+/).filter((word) => word !== "").length,
  };
}

function kindOf({ file }: Counted): Kind | undefined {
  if (RECORDED.test(file)) return "recorded and generated";
  if (!CODE.test(file)) return undefined;
  return TESTS.test(file) ? "tests" : "product";
}

const sum = (counts: readonly Counted[], of: "lines" | "words"): number =>
  counts.reduce((total, each) => total + each[of], 0);

const files = trackedFiles()
  .filter((file) => !LOCKS.test(file) && lstatSync(join(ROOT, file)).isFile())
  .map(counted);
const byKind = Map.groupBy(files, kindOf);
const product = byKind.get("product") ?? [];
const pages = files.filter(({ file }) => file.endsWith(".md"));
const readme = pages.find(({ file }) => file === "README.md");
const short = product.filter(({ lines }) => lines < SHORT_LINES);
const rows: readonly (readonly [what: string, now: string, goal: string])[] = [
  ["lines of the product", String(sum(product, "lines")), "60,000"],
  ["lines of tests", String(sum(byKind.get("tests") ?? [], "lines")), "78,000"],
  ["lines recorded and generated", String(sum(byKind.get("recorded and generated") ?? [], "lines")), "6,000"],
  ["words of all pages", String(sum(pages, "words")), "45,000"],
  ["lines of the README", String(readme?.lines ?? 0), "120"],
  [
    `product files over ${LONG_LINES} lines`,
    String(product.filter(({ lines }) => lines > LONG_LINES).length),
    "0",
  ],
  [
    `product files under ${SHORT_LINES} lines`,
    `${((100 * short.length) / product.length).toFixed(1)} %`,
    "8 %",
  ],
];
for (const [what, now, goal] of rows)
  process.stdout.write(`${what.padEnd(32)}${now.padStart(8)}  (goal ${goal})\n`);
