// Prints how large the tree is, by what it is for, and refuses more than its bounds (decision 132): `npm run check:size`.
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
const rows: readonly (readonly [what: string, now: number, bound: number])[] = [
  ["lines of the product", sum(product, "lines"), 109_330],
  ["lines of tests", sum(byKind.get("tests") ?? [], "lines"), 131_030],
  ["lines recorded and generated", sum(byKind.get("recorded and generated") ?? [], "lines"), 6_000],
  ["words of all pages", sum(pages, "words"), 47_200],
  ["lines of the README", readme?.lines ?? 0, 120],
  [`product files over ${LONG_LINES} lines`, product.filter(({ lines }) => lines > LONG_LINES).length, 0],
  [
    `% of product files under ${SHORT_LINES} lines`,
    Math.round((1_000 * short.length) / product.length) / 10,
    8,
  ],
];
for (const [what, now, bound] of rows)
  process.stdout.write(`${what.padEnd(34)}${String(now).padStart(8)}  (at most ${bound})\n`);
const over = rows.filter(([, now, bound]) => now > bound);
for (const [what, now, bound] of over)
  process.stderr.write(
    `${what}: ${now - bound} too many. Remove as much, or raise the bound in test/checks/size.ts in a commit of its own that says why.\n`,
  );
if (over.length > 0) process.exitCode = 1;
