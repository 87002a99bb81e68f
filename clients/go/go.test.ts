// The Go library under Go's own tools: format, vet, staticcheck, tests with the race detector, a short fuzz. What fails shows Go's output.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeAll, describe, expect, jest, test } from "@jest/globals";
import { environment } from "#support/environment";
import { requireGo } from "#support/installed";
import { scratchFolder } from "#support/scratch-folder";

// The first run downloads staticcheck and compiles it and the standard library with the race detector.
jest.setTimeout(900_000);

/** Runs of each target. Counted, as the end of a time can fail a target that has found nothing (https://go.dev/issue/75804). */
const FUZZ_RUNS = 10_000;

/** Runs a command in a folder of the library; gives what it printed, and fails with it. */
function run(command: string, args: readonly string[], folder = "."): string {
  const cwd = join(import.meta.dirname, folder);
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", env: environment });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}

/** Each fuzz target with its package. */
function fuzzTargets(): [pkg: string, target: string][] {
  return run("go", ["list", "./..."])
    .trim()
    .split("\n")
    .flatMap((pkg) =>
      run("go", ["test", "-list", "^Fuzz", pkg])
        .split("\n")
        .filter((line) => line.startsWith("Fuzz"))
        .map((target): [string, string] => [pkg, target]),
    );
}

describe("the Go library", () => {
  beforeAll(requireGo);

  test("is formatted", () => {
    expect(run("gofmt", ["-l", "."])).toBe("");
  });

  test("depends on the standard library alone", () => {
    const imported = run("go", [
      "list",
      "-deps",
      "-f",
      "{{if not .Standard}}{{.ImportPath}}{{end}}",
      "./...",
    ]);
    const others = imported
      .split("\n")
      .filter((path) => !/^(?:github\.com\/hookline\/hookline\/clients\/go(?:\/|$)|$)/.test(path));
    expect(others).toEqual([]);
  });

  test("is a module that a project of its own gets from a module proxy, without its tools, and with nothing else", () => {
    const folder = scratchFolder();
    const module = "github.com/hookline/hookline/clients/go";
    const proxy = join(folder, "proxy");
    const project = join(folder, "project");
    const go = (...args: string[]) => {
      const env = {
        ...environment,
        // Whatever else it needed could not be had, and what an earlier run downloaded is not asked.
        GOPROXY: `file://${proxy}`,
        GOMODCACHE: join(folder, "modules"),
        GOFLAGS: "-mod=mod -modcacherw",
        GOSUMDB: "off",
      };
      const { status, stdout, stderr } = spawnSync("go", args, { cwd: project, encoding: "utf8", env });
      if (status !== 0) throw new Error(`go ${args.join(" ")}\n${stdout}${stderr}`);
      return stdout.trim();
    };
    const filesIn = (path: string): string[] =>
      readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(path, join(entry.parentPath, entry.name)))
        .sort();
    run("go", ["run", "./pack", import.meta.dirname, "v0.1.0", proxy], "tools");
    mkdirSync(project);
    writeFileSync(join(project, "go.mod"), "module example\n\ngo 1.25\n");
    const imports = `import (\n\thookline "${module}"\n\t"${module}/webhooks"\n)\n`;
    const uses = "var _ = hookline.New\n\nvar _ webhooks.Handler\n";
    writeFileSync(join(project, "main.go"), `package main\n\n${imports}\n${uses}\nfunc main() {}\n`);
    go("get", `${module}@latest`);
    go("build", "-o", "program", ".");
    expect(go("list", "-m", "all").split("\n")).toEqual(["example", `${module} v0.1.0`]);
    const files = filesIn(go("list", "-m", "-f", "{{.Dir}}", module));
    const sources = filesIn(import.meta.dirname).filter((name) => !/^(?:bench|tools)\//.test(name));
    expect(files).toEqual(sources);
    expect(files.filter((name) => !/^(?:webhooks\/)?[a-z_]+\.go$/.test(name))).toEqual([
      "README.md",
      "go.mod",
      "go.test.ts",
    ]);
  });

  test("passes go vet and staticcheck", () => {
    run("go", ["vet", "./..."]);
    run("go", ["vet", "./..."], "bench");
    run("go", ["vet", "./..."], "tools");
    run("go", ["tool", "-modfile=tools/go.mod", "staticcheck", "./..."]);
  });

  test("passes its tests and examples with the race detector", () => {
    const output = run("go", ["test", "-race", "-count=1", "./..."]);
    expect(output).toMatch(/^ok\s/m);
  });

  test(`finds nothing in ${FUZZ_RUNS} runs of fuzzing each target`, () => {
    const targets = fuzzTargets();
    expect(targets.length).toBeGreaterThan(0);
    for (const [pkg, target] of targets) {
      run("go", ["test", "-run=^$", `-fuzz=^${target}$`, `-fuzztime=${FUZZ_RUNS}x`, "-parallel=2", pkg]);
    }
  });
});
