// Asks npm's advisories about the packages that run in production. Ends with 1 for a high or critical one; says so where nobody answers.
import { spawnSync } from "node:child_process";

const SEVERE = ["high", "critical"];
const TIMEOUT_MS = 120_000;

const say = (line) => void process.stdout.write(`${line}\n`);

const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
  encoding: "utf8",
  timeout: TIMEOUT_MS,
});

/** undefined for anything but a report: an error of the registry is JSON too. */
function reportOf(text) {
  try {
    const answer = JSON.parse(text);
    return answer.auditReportVersion === undefined ? undefined : answer;
  } catch {
    return undefined;
  }
}

const report = reportOf(stdout);
if (report === undefined) {
  say("== no source of advisories answers: dependencies are not audited here");
} else {
  const { vulnerabilities, ...counts } = report.metadata;
  const severe = Object.values(report.vulnerabilities).filter(({ severity }) => SEVERE.includes(severity));
  say(`== audited ${counts.dependencies?.prod ?? 0} packages: ${JSON.stringify(vulnerabilities)}`);
  for (const { name, severity, range } of severe) say(`   ${severity}: ${name} ${range}`);
  if (severe.length > 0) process.exitCode = 1;
}
