// The installation that precedes `npm start`, with a stand-in for npm: two starts of a fresh clone at once, and help without one.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { beforeEach, expect, jest, test } from "@jest/globals";
import { environment } from "#support/environment";
import { scratchFolder } from "#support/scratch-folder";
import { until } from "#support/until";

jest.setTimeout(180_000);

const PATIENCE = { timeoutMs: 45_000 };
const PACKAGES = JSON.stringify({ packages: { "": {}, "node_modules/a": { version: "1.0.0" } } });

/** `npm ci`: says that it began, and is done when it may be. */
const NPM = `#!/bin/sh
echo begun >> npm.log
while [ ! -e go ]; do sleep 0.05; done
mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json
`;

let clone: string;

beforeEach(async () => {
  clone = scratchFolder();
  await cp(join(import.meta.dirname, "../../bin/install.mjs"), join(clone, "bin/install.mjs"));
  await writeFile(join(clone, "package-lock.json"), PACKAGES);
  await mkdir(join(clone, "path"));
  await writeFile(join(clone, "path/npm"), NPM);
  await chmod(join(clone, "path/npm"), 0o755);
});

const read = (file: string) => readFile(join(clone, file), "utf8").catch(() => "");

function installing(before = "") {
  const program = `${before}import { install } from "./bin/install.mjs"; await install(); console.log("goes on");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    cwd: clone,
    env: { ...environment, PATH: `${join(clone, "path")}${delimiter}${environment["PATH"]}` },
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => said.push(String(data)));
  const exited = once(child, "close") as Promise<[number | null]>;
  const untilSaid = (text: string) =>
    until(() => said.join("").includes(text), {
      ...PATIENCE,
      what: () => `${text}; it said ${said.join("")}`,
    });
  return { child, said, exited, untilSaid };
}

test("two starts of a fresh clone install once; the second waits and goes on", async () => {
  const first = installing();
  await until(async () => (await read("npm.log")) !== "", { ...PATIENCE, what: "npm" });
  const second = installing();
  await second.untilSaid("Another process installs here; waiting for it");
  await writeFile(join(clone, "go"), "");
  expect((await first.exited)[0]).toBe(0);
  expect((await second.exited)[0]).toBe(0);
  expect([first, second].map(({ said }) => said.join("").includes("goes on"))).toEqual([true, true]);
  expect(await read("npm.log")).toBe("begun\n");
});

test.each([
  ["whose process is gone", 'spawnSync(process.execPath, ["-e", ""]).pid'],
  ["whose process had the id of this one", "process.pid"],
  ["whose process had not written its id", '""'],
])("the lock of an installation that was killed, %s, holds nobody up", async (_, holder) => {
  await writeFile(join(clone, "go"), "");
  const next = installing(`
    import { spawnSync } from "node:child_process";
    import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
    const lock = ".cache/install.lock";
    mkdirSync(".cache");
    writeFileSync(lock, String(${holder}));
    utimesSync(lock, 0, 0);
  `);
  expect((await next.exited)[0]).toBe(0);
  expect(next.said.join("")).toContain("goes on");
});

test("a signal while it installs ends npm too, and leaves no lock", async () => {
  const { child, exited, said } = installing();
  await until(async () => (await read("npm.log")) !== "", { ...PATIENCE, what: "npm" });
  child.kill("SIGTERM");
  expect((await exited)[0]).toBe(143);
  expect(said.join("")).not.toContain("goes on");
  await expect(stat(join(clone, ".cache/install.lock"))).rejects.toThrow("ENOENT");
});

test("an installation that fails says so, and leaves no lock", async () => {
  await writeFile(join(clone, "path/npm"), "#!/bin/sh\nexit 7\n");
  const { exited, untilSaid } = installing();
  expect((await exited)[0]).toBe(1);
  await untilSaid("npm ci failed");
  await expect(stat(join(clone, ".cache/install.lock"))).rejects.toThrow("ENOENT");
});

test.each([
  ["bin/start.mjs", "dev/start/help.txt", "HOOKLINE_PORT_OFFSET"],
  ["bin/receive.mjs", "clients/typescript/example/help.txt", "--secret <secret>"],
])("%s --help installs nothing", async (program, text, expected) => {
  const root = join(import.meta.dirname, "../..");
  for (const file of [program, text]) await cp(join(root, file), join(clone, file));
  const options = {
    cwd: clone,
    encoding: "utf8",
    env: { ...environment, PATH: join(clone, "path") },
  } as const;
  expect(execFileSync(process.execPath, [program, "--help"], options)).toContain(expected);
  expect(await read("npm.log")).toBe("");
});
