import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe } from "@jest/globals";
import { describeFiles } from "../testing/files-conformance.ts";
import { openLmdbFiles } from "./lmdb-files.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-files-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("lmdb's files", () => {
  describeFiles(() => ({ open: () => openLmdbFiles(folder), settled: (promise) => promise }));
});
