import { execFile } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";

const PROGRAM = join(import.meta.dirname, "../../.ci/audit.mjs");

let folder: string;
beforeEach(async () => {
  folder = scratchFolder();
});

/** Runs the audit with an npm that answers this. */
async function audit(answer: string): Promise<{ code: number; out: string }> {
  const npm = join(folder, "npm");
  await writeFile(npm, `#!/bin/sh\ncat <<'END'\n${answer}\nEND\nexit 1\n`);
  await chmod(npm, 0o700);
  const env = { PATH: [folder, dirname(process.execPath), "/usr/bin", "/bin"].join(":") };
  return await new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM], { env }, (error, out) =>
      resolve({ code: error === null ? 0 : Number(error.code), out }),
    );
  });
}

const reportWith = (severity: string): string =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: { shaky: { name: "shaky", severity, range: "<1.2.0" } },
    metadata: { vulnerabilities: { [severity]: 1 }, dependencies: { prod: 7 } },
  });

test("a severe advisory fails the run and is named; a lesser one is counted", async () => {
  expect(await audit(reportWith("critical"))).toEqual({
    code: 1,
    out: '== audited 7 packages: {"critical":1}\n   critical: shaky <1.2.0\n',
  });
  expect(await audit(reportWith("low"))).toMatchObject({
    code: 0,
    out: '== audited 7 packages: {"low":1}\n',
  });
});

test("a registry that has no advisories is told apart from one that knows of none", async () => {
  const said = { code: 0, out: "== no source of advisories answers: dependencies are not audited here\n" };
  expect(await audit(JSON.stringify({ message: "405 Method Not Allowed", statusCode: 405 }))).toEqual(said);
  expect(await audit("npm error code ENOTFOUND")).toEqual(said);
});
