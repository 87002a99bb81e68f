// Refuses citations of what is not there: rules of docs/develop/contract.md, decisions of docs/develop/decisions, and links of pages to
// files and headings. Run as a program it looks at every tracked text.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { trackedFiles } from "./tracked-files.ts";

const ROOT = join(import.meta.dirname, "../..");
const CONTRACT = "docs/develop/contract.md";
const DECISIONS = "docs/develop/decisions";
const TEXT = /(\.(ts|mjs|md|avsc|json|go|py|sh|tpl|yml|yaml)|Dockerfile)$/;
/** "contract 3.5", "rule 3.5", "rules 3.4 and 3.5", "contract 1.4 to 1.7". */
const RULE_CITATION =
  /\b(?:contract|rules?) (\d{1,2}\.\d{1,2})(?:(?:, | and | or | to )(\d{1,2}\.\d{1,2}))?/gi;
/** "decision 45", "decisions 18 and 72". */
const DECISION_CITATION = /\bdecisions? (\d{1,4})(?:(?:, | and | or )(\d{1,4}))?/gi;
const RULE = /^- \*\*(\d{1,2}\.\d{1,2})\*\*/gm;
/** Of a page, to a file beside it or a heading: not to another host. */
const LINK = /\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]*))?\)/g;
const HEADING = /^#{1,6} (.*)$/gm;
const CODE = /```.*?```|`[^`\n]*`/gs;

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

function rulesOf(contract: string): ReadonlySet<string> {
  return new Set([...contract.matchAll(RULE)].map(([, rule = ""]) => rule));
}

/** As GitHub names a heading's anchor. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");
}

const anchorsByPage = new Map<string, ReadonlySet<string>>();

function anchorsOf(page: string): ReadonlySet<string> {
  const known = anchorsByPage.get(page);
  if (known !== undefined) return known;
  const headings = read(page)
    .replace(/```.*?```/gs, "")
    .matchAll(HEADING);
  const anchors = new Set([...headings].map(([, heading = ""]) => anchorOf(heading)));
  anchorsByPage.set(page, anchors);
  return anchors;
}

interface Cited {
  readonly pattern: RegExp;
  readonly name: string;
  readonly place: string;
  readonly known: ReadonlySet<string>;
}

function unknownIn(file: string, { known, name, pattern, place }: Cited): string[] {
  return read(file)
    .split("\n")
    .flatMap((line, index) =>
      [...line.matchAll(pattern)]
        .flatMap(([, first, second]) => [first, second])
        .filter((each) => each !== undefined && !known.has(each.replace(/^0+/, "")))
        .map((each) => `${file}:${index + 1} cites ${name} ${each}, which ${place} does not have\n`),
    );
}

function brokenLinksOf(page: string): string[] {
  return [...read(page).replace(CODE, "").matchAll(LINK)].flatMap(([link, path = "", anchor]) => {
    const target = path === "" ? page : normalize(join(dirname(page), path));
    const isThere = existsSync(join(ROOT, target));
    const hasAnchor =
      anchor === undefined || !target.endsWith(".md") || (isThere && anchorsOf(target).has(anchor));
    return isThere && hasAnchor ? [] : [`${page} links to ${link.slice(2, -1)}, which is not there\n`];
  });
}

const cited: readonly Cited[] = [
  { pattern: RULE_CITATION, name: "rule", place: CONTRACT, known: rulesOf(read(CONTRACT)) },
  {
    pattern: DECISION_CITATION,
    name: "decision",
    place: DECISIONS,
    known: new Set(
      globSync("*-*.md", { cwd: join(ROOT, DECISIONS) }).map((file) => String(Number.parseInt(file, 10))),
    ),
  },
];
const files = trackedFiles().filter((file) => TEXT.test(file) && file !== "package-lock.json");
const empty = cited
  .filter(({ known }) => known.size === 0)
  .map(({ place, name }) => `${place} has no ${name}s\n`);
const unknown = files.flatMap((file) => cited.flatMap((each) => unknownIn(file, each)));
const broken = files.filter((file) => file.endsWith(".md")).flatMap(brokenLinksOf);
const said = [...empty, ...unknown, ...broken];
process.stderr.write(said.join(""));
process.exitCode = said.length > 0 ? 1 : 0;
