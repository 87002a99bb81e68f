import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { unknownSettings } from "#runtime";

const ROOT = join(import.meta.dirname, "../..");
const PAGES = globSync(["README.md", "docs/*.md", "docs/*/*.md"], { cwd: ROOT });

describe("settings that the pages name", () => {
  test.each(PAGES)("%s names only those that exist", (page) => {
    const named = new Set(readFileSync(join(ROOT, page), "utf8").match(/HOOKLINE_[A-Z][A-Z_]*[A-Z]/g));
    const asEnvironment = Object.fromEntries([...named].map((name) => [name, ""]));
    expect(unknownSettings(asEnvironment, [])).toEqual([]);
  });
});
