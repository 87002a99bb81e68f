import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { Bucket } from "./bucket.ts";
import { callIdKey } from "./call-id.ts";
import { aimProbe, createProbe } from "./id-filter.ts";
import { openLmdbFiles } from "./lmdb-files.ts";
import type { WindowFiles, WindowTable } from "./window-files.ts";

const SPAN = { startMs: 0, endMs: 3_600_000 };

let directory: string;
let files: WindowFiles;
let ids: WindowTable;
let bucket: Bucket;

beforeEach(() => {
  directory = scratchFolder();
  files = openLmdbFiles(directory);
  ids = files.table("ids");
  bucket = Bucket.empty({ span: SPAN, ids, expectedIds: 0, maxFilterBytes: 1024 * 1024 });
});

afterEach(async () => {
  await files.close();
});

const probe = createProbe();

/** Ids whose numbers are their offsets, in one write. */
async function write(from: number, to: number): Promise<void> {
  const offsets = new Map<string, number>();
  for (let offset = from; offset < to; offset += 1) {
    const key = callIdKey({ sourceId: "s", messageId: `m${offset}`, userId: "u", anonymousId: null });
    aimProbe(probe, key);
    bucket.remember(probe);
    offsets.set(key, offset);
  }
  await files.batch(() => bucket.write(offsets));
}

function find(messageId: string): number | undefined {
  const key = callIdKey({ sourceId: "s", messageId: messageId, userId: "u", anonymousId: null });
  aimProbe(probe, key);
  return bucket.find(key, probe);
}

test("ids of every filter are found: a later filter knows nothing of those before it", async () => {
  await write(0, 16_384);
  await write(16_384, 16_400);
  expect(bucket.filters).toHaveLength(2);
  expect([0, 16_383, 16_384, 16_399].map((offset) => find(`m${offset}`))).toEqual([
    0, 16_383, 16_384, 16_399,
  ]);
  expect(find("another")).toBeUndefined();
});

test("a write that a segment has no room for begins the next, so that a commit finds its pages again", async () => {
  await write(0, 10_000);
  await write(10_000, 16_384);
  await write(16_384, 16_385);
  await write(16_385, 16_386);
  const segments = [...ids.getKeys()].map((key) => key.readUInt16BE(0));
  expect([0, 1, 2].map((segment) => segments.filter((each) => each === segment).length)).toEqual([
    16_384, 2, 0,
  ]);
});

test("a bucket that is opened again finds the ids of its last segment, and writes behind it", async () => {
  for (let from = 0; from < 3 * 8_193; from += 8_193) await write(from, from + 8_193);
  bucket = Bucket.refiltered(SPAN, ids, 1024 * 1024);
  expect([find("m0"), find("m24578")]).toEqual([0, 24_578]);
  await write(24_579, 24_580);
  expect(find("m24579")).toBe(24_579);
}, 30_000);
