import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { developmentChoices } from "./development.ts";

let parent: string;

beforeAll(async () => {
  parent = scratchFolder();
});

const LISTENING = {
  HOOKLINE_INGEST_HOST: "127.0.0.1",
  HOOKLINE_CONTROL_HOST: "127.0.0.1",
  HOOKLINE_METRICS_HOST: "127.0.0.1",
};

test("loopback alone is listened to and opened to webhooks, and both are said (contract 11.3)", async () => {
  const { variables, notes } = await developmentChoices({}, join(parent, "chosen"));
  expect(variables).toEqual({
    ...LISTENING,
    HOOKLINE_EGRESS_ALLOW_CIDRS: "127.0.0.0/8,::1/128",
    HOOKLINE_ENCRYPTION_KEYS: expect.stringMatching(/^development:[A-Za-z0-9+/]{43}=$/),
  });
  expect(notes).toEqual([
    expect.stringContaining("HOOKLINE_INGEST_HOST=127.0.0.1, HOOKLINE_CONTROL_HOST=127.0.0.1"),
    expect.stringContaining("HOOKLINE_EGRESS_ALLOW_CIDRS=127.0.0.0/8,::1/128"),
    expect.stringContaining("development-key"),
  ]);
});

test("what the environment gives replaces each choice, one by one, and is not spoken of (contract 11.3)", async () => {
  const folder = join(parent, "given");
  const given = {
    HOOKLINE_INGEST_HOST: "0.0.0.0",
    HOOKLINE_CONTROL_HOST: "::1",
    HOOKLINE_METRICS_HOST: "10.0.0.1",
    HOOKLINE_EGRESS_ALLOW_CIDRS: "10.0.0.0/8",
    HOOKLINE_ENCRYPTION_KEYS_FILE: "/keys",
  };
  expect(await developmentChoices(given, folder)).toEqual({ variables: {}, notes: [] });
  // No key was made that nobody uses.
  await expect(stat(folder)).rejects.toThrow("ENOENT");
  const { variables, notes } = await developmentChoices({ ...given, HOOKLINE_INGEST_HOST: " " }, folder);
  expect(variables).toEqual({ HOOKLINE_INGEST_HOST: "127.0.0.1" });
  expect(notes.join()).not.toContain("HOOKLINE_CONTROL_HOST");
});

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
