import { beforeEach, describe } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { describeFiles } from "../testing/files-conformance.ts";
import { openLmdbFiles } from "./lmdb-files.ts";

let folder: string;

beforeEach(() => {
  folder = scratchFolder();
});

describe("lmdb's files", () => {
  describeFiles(() => ({ open: () => openLmdbFiles(folder), settled: (promise) => promise }));
});
