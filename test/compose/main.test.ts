// What `npm run compose` says where there is nothing to try it on.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { environment } from "#support/environment";

function run(...args: readonly string[]) {
  const program = join(import.meta.dirname, "main.ts");
  const { status, stderr, stdout } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    env: { ...environment, DOCKER_HOST: "unix:///no-engine-answers-here.sock" },
  });
  return { status, stderr, stdout };
}

test("without an engine it says so and is no failure", () => {
  const nothing = "no container engine with compose answers: docker-compose.yml is not tried here\n";
  expect(run()).toEqual({ status: 0, stdout: "", stderr: nothing });
}, 180_000);

test("a stage that there is not is refused before anything is done", () => {
  expect(run("--stages", "up,sideways")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("some of build,up,kill,restart,broker,observability,down"),
  });
}, 180_000);
