import { constants } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { linesOnSmallDisk } from "#support/small-disk";
import { describeFiles } from "../testing/files-conformance.ts";
import { openLmdbFiles } from "./lmdb-files.ts";

let folder: string;

beforeEach(() => {
  folder = scratchFolder();
});

describe("lmdb's files", () => {
  describeFiles(() => ({ open: () => openLmdbFiles(folder), settled: (promise) => promise }));

  test("a transaction that the disk refuses rejects with the reason and ends nothing else; the files close, and are as before", async () => {
    const program = `
      import { openLmdbFiles } from ${JSON.stringify(join(import.meta.dirname, "lmdb-files.ts"))};
      process.on("unhandledRejection", ({ message }) => console.log("unhandled:", message));
      const files = openLmdbFiles(process.argv[1]);
      const table = files.table("one");
      const put = (key, bytes) => files.batch(() => void table.put(Buffer.from(key), Buffer.alloc(bytes)));
      await put("a", 1);
      const refused = ["b", "c"].map((key) => put(key, 1_000_000));
      for (const { reason } of await Promise.allSettled(refused)) console.log(reason.code);
      await put("d", 1_000_000).catch(({ code }) => console.log(code));
      await files.close();
      console.log("closed");`;
    // lmdb's word for a write that was cut.
    const code = String(constants.errno.EIO);
    expect(linesOnSmallDisk(400, program, folder)).toEqual([code, code, code, "closed"]);
    const files = openLmdbFiles(folder);
    expect(Array.from(files.table("one").getKeys(), String)).toEqual(["a"]);
    await files.close();
  });
});
