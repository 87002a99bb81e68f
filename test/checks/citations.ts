// Refuses citations of contract rules that docs/develop/contract.md does not have. Run as a program it looks at every tracked text.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const CONTRACT = "docs/develop/contract.md";
const TEXT = /\.(ts|mjs|md|avsc|json|go|py|yml|yaml)$/;
/** "contract 3.5", "rule 3.5", "rules 3.4 and 3.5", "contract 1.4 to 1.7". */
const CITATION = /\b(?:contract|rules?) (\d{1,2}\.\d{1,2})(?:(?:, | and | or | to )(\d{1,2}\.\d{1,2}))?/gi;
const RULE = /^- \*\*(\d{1,2}\.\d{1,2})\*\*/gm;

function rulesOf(contract: string): ReadonlySet<string> {
  return new Set([...contract.matchAll(RULE)].map(([, rule = ""]) => rule));
}

function unknownIn(file: string, rules: ReadonlySet<string>): string[] {
  const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
  return lines.flatMap((line, index) =>
    [...line.matchAll(CITATION)]
      .flatMap(([, first, second]) => [first, second])
      .filter((rule) => rule !== undefined && !rules.has(rule))
      .map((rule) => `${file}:${index + 1} cites rule ${rule}, which ${CONTRACT} does not have\n`),
  );
}

const rules = rulesOf(readFileSync(join(ROOT, CONTRACT), "utf8"));
const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
});
const files = listed.split("\n").filter((file) => TEXT.test(file) && file !== "package-lock.json");
const unknown = files.flatMap((file) => unknownIn(file, rules));
process.stderr.write(rules.size === 0 ? `${CONTRACT} has no rules\n` : unknown.join(""));
process.exitCode = rules.size === 0 || unknown.length > 0 ? 1 : 0;
