import { chmod, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { developmentChoices } from "./development.ts";

let parent: string;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "hookline-key-"));
});
afterAll(() => rm(parent, { recursive: true }));

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

test("the development key is this user's alone, also when an earlier one was not, and stays the same", async () => {
  const folder = join(parent, "cache");
  const first = await developmentChoices({}, folder);
  const file = join(folder, "development-key");
  expect([await modeOf(folder), await modeOf(file)]).toEqual(["700", "600"]);
  await chmod(file, 0o644);
  expect((await developmentChoices({}, folder)).variables).toEqual(first.variables);
  expect(await modeOf(file)).toBe("600");
});
