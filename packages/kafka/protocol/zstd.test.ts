import { createZstdCompress, zstdCompressSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { decompress } from "./zstd.ts";

const SIZES = [0, 1, 63, 64, 255, 256, 257, 65_791, 65_792, 300_000, 5_000_000];

const text = (size: number): Buffer =>
  Buffer.from(
    Array.from({ length: size / 4 + 1 }, (_, at) => `${(at * 7919) % 1000},`.padStart(4)).join(""),
  ).subarray(0, size);

/** Compressed piece by piece, so that the frame cannot say how much it holds. */
async function streamed(bytes: Buffer): Promise<Buffer> {
  const stream = createZstdCompress();
  for (let at = 0; at < bytes.length; at += 1_000) stream.write(bytes.subarray(at, at + 1_000));
  stream.end();
  return Buffer.concat(await stream.toArray());
}

test.each(SIZES)("%i bytes come back, whether the frame says how many they are or not", async (size) => {
  const bytes = text(size);
  expect(decompress(zstdCompressSync(bytes)).equals(bytes)).toBe(true);
  expect(decompress(await streamed(bytes)).equals(bytes)).toBe(true);
});

test("what a frame says that it holds goes into one buffer of that size", () => {
  for (const size of [40_000, 100_000])
    expect(decompress(zstdCompressSync(text(size))).buffer.byteLength).toBe(size + 1);
});

test("what is no frame, or the first bytes of one, is an error", () => {
  const frame = zstdCompressSync(text(5_000));
  for (let length = 1; length < 20; length += 1)
    expect(() => decompress(frame.subarray(0, length))).toThrow();
  expect(() => decompress(Buffer.from("no frame at all"))).toThrow();
});
