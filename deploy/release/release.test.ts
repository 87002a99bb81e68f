import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "@jest/globals";
import { runCommand } from "../../cli/program.ts";

const ROOT = join(import.meta.dirname, "../..");
const textOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const { version } = JSON.parse(textOf("package.json")) as { version: string };

test("package.json has the version; the command, the image, the chart and the change log name it", async () => {
  let out = "";
  const code = await runCommand(["--version"], {
    environment: {},
    print: () => undefined,
    write: (piece) => {
      out += piece;
    },
    drained: async () => undefined,
    say: () => undefined,
    isColoured: false,
    standardInput: () => Readable.from([]),
    endWith: () => undefined,
  });
  expect([code, out]).toEqual([0, `${version}\n`]);
  expect(textOf("Dockerfile")).toContain(`\nARG VERSION=${version}\n`);
  expect(textOf("deploy/helm/hookline/Chart.yaml")).toContain(
    `\nversion: ${version}\nappVersion: ${version}\n`,
  );
  expect(textOf("CHANGELOG.md")).toMatch(new RegExp(`^## ${version.replaceAll(".", "\\.")}$`, "m"));
});

test("every release says what an upgrade to it asks for", () => {
  const [, ...releases] = textOf("CHANGELOG.md").split(/^## (?=\d)/m);
  expect(releases.length).toBeGreaterThan(0);
  for (const release of releases) expect(release).toContain("### Upgrade");
});
