// The package as it is published: JavaScript and types, without anything from outside of its folder.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";

// The compiler takes its time on a busy machine.
jest.setTimeout(300_000);

const dist = mkdtempSync(join(tmpdir(), "hookline-webhooks-"));

beforeAll(() => {
  const tsc = join(import.meta.dirname, "../../node_modules/typescript/bin/tsc");
  const project = join(import.meta.dirname, "tsconfig.build.json");
  execFileSync(process.execPath, [tsc, "-p", project, "--outDir", dist], { stdio: "pipe" });
});
afterAll(() => rmSync(dist, { recursive: true }));

/** Run by node itself, as a receiver's program would. */
const PROGRAM = `
  const { verifySignature } = await import(process.argv[1]);
  const verification = verifySignature("{}", "5ee1e2c8beb7f7b5c5a5ebd9eb4a1d3d5b8cf4e5", "s3cr3t");
  process.stdout.write(JSON.stringify(verification));
`;

test("its build runs as plain JavaScript", () => {
  const output = execFileSync(process.execPath, [
    "--input-type=module",
    "-e",
    PROGRAM,
    join(dist, "index.js"),
  ]);
  expect(JSON.parse(output.toString())).toEqual({ ok: false, reason: "signature_wrong" });
});

test("its build has types for every module, and imports only itself and node", () => {
  const files = readdirSync(dist);
  const modules = files.filter((file) => file.endsWith(".js"));
  expect(files.filter((file) => file.endsWith(".d.ts"))).toHaveLength(modules.length);
  const imported = modules.flatMap((file) =>
    [...readFileSync(join(dist, file), "utf8").matchAll(/from "([^"]+)"/g)].map(([, name]) => name),
  );
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((name) => !/^(?:\.\/[a-z-]+\.js|node:[a-z]+)$/.test(name ?? ""))).toEqual([]);
});
