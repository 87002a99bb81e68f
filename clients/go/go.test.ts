// The Go library under Go's own tools: format, vet, staticcheck, tests with the race detector, a short fuzz. What fails shows Go's output.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, jest, test } from "@jest/globals";
import { environment } from "#support/environment";
import { requireGo } from "#support/installed";

// The first run downloads staticcheck and compiles it and the standard library with the race detector.
jest.setTimeout(900_000);

const FUZZ_TIME = "2s";

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

  test("is a module that a project of its own gets whole, without its tests and tools, and with nothing else", () => {
    const project = mkdtempSync(join(tmpdir(), "hookline-go-module-"));
    const module = "github.com/hookline/hookline/clients/go";
    const replace = `replace ${module} => ${import.meta.dirname}`;
    writeFileSync(
      join(project, "go.mod"),
      `module example\n\ngo 1.25\n\nrequire ${module} v0.1.0\n\n${replace}\n`,
    );
    const imports = `import (\n\t_ "${module}"\n\t_ "${module}/webhooks"\n)\n`;
    writeFileSync(join(project, "main.go"), `package main\n\n${imports}\nfunc main() {}\n`);
    // Whatever else it needed could not be had.
    const go = (...args: string[]) => {
      const env = { ...environment, GOPROXY: "off", GOFLAGS: "-mod=mod" };
      const { status, stdout, stderr } = spawnSync("go", args, { cwd: project, encoding: "utf8", env });
      if (status !== 0) throw new Error(`go ${args.join(" ")}\n${stdout}${stderr}`);
      return stdout;
    };
    try {
      expect(go("list", "-m", "-f", "{{.Path}}", "all").trim().split("\n")).toEqual(["example", module]);
      go("mod", "vendor");
      const vendored = join(project, "vendor", module);
      const files = readdirSync(vendored, { recursive: true, encoding: "utf8" }).sort();
      const sources = ["", "webhooks/"].flatMap((folder) =>
        readdirSync(join(import.meta.dirname, folder))
          .filter((name) => name.endsWith(".go") && !name.endsWith("_test.go"))
          .map((name) => `${folder}${name}`),
      );
      expect(files.filter((name) => name.endsWith(".go"))).toEqual(sources.sort());
    } finally {
      rmSync(project, { recursive: true });
    }
  });

  test("passes go vet and staticcheck", () => {
    run("go", ["vet", "./..."]);
    run("go", ["vet", "./..."], "bench");
    run("go", ["tool", "-modfile=tools/go.mod", "staticcheck", "./..."]);
  });

  test("passes its tests and examples with the race detector", () => {
    const output = run("go", ["test", "-race", "-count=1", "./..."]);
    expect(output).toMatch(/^ok\s/m);
  });

  test(`finds nothing in ${FUZZ_TIME} of fuzzing each target`, () => {
    const targets = fuzzTargets();
    expect(targets.length).toBeGreaterThan(0);
    for (const [pkg, target] of targets) {
      run("go", ["test", "-run=^$", `-fuzz=^${target}$`, `-fuzztime=${FUZZ_TIME}`, "-parallel=2", pkg]);
    }
  });
});
