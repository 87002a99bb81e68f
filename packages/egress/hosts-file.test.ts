import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { openHostsFile, parseHosts } from "./hosts-file.ts";

const folder = scratchFolder();

test("names are found on every line, in lower case; comments and other text are passed over", () => {
  const hosts = parseHosts(`
# 192.0.2.9 commented.test
127.0.0.1\tlocalhost  Local.Test # trailing.test
::1 localhost
nonsense here.test
192.0.2.1
192.0.2.2 windows.test\r
`);
  expect(Object.fromEntries(hosts)).toEqual({
    localhost: [
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ],
    "local.test": [{ address: "127.0.0.1", family: 4 }],
    "windows.test": [{ address: "192.0.2.2", family: 4 }],
  });
});

test("a change is seen within a second, also that the file appears or goes", () => {
  const path = join(folder, "hosts");
  const clock = { nowMs: 0 };
  const find = openHostsFile(path, () => clock.nowMs);
  expect(find("a.test")).toBeUndefined();
  writeFileSync(path, "192.0.2.1 a.test");
  clock.nowMs = 999;
  expect(find("a.test")).toBeUndefined();
  clock.nowMs = 1_000;
  expect(find("a.test")).toEqual([{ address: "192.0.2.1", family: 4 }]);
  writeFileSync(path, "192.0.2.2 a.test");
  utimesSync(path, 1, 1);
  clock.nowMs = 2_000;
  expect(find("a.test")).toEqual([{ address: "192.0.2.2", family: 4 }]);
  rmSync(path);
  clock.nowMs = 3_000;
  expect(find("a.test")).toBeUndefined();
});
