// gzip with bounded inflation (contract 7.5): a bomb is cut off at the limit, whatever it would grow to.
import { promisify } from "node:util";
import { gunzip, gunzipSync, type ZlibOptions } from "node:zlib";
import type { Rejection } from "#contract";
import { sizeRejection } from "./size-rejection.ts";

const gunzipInThread = promisify(gunzip);

/**
 * The size up to which inflating takes less than the detour by libuv's threads: 16 KB of gzip inflate in well
 * under a millisecond.
 */
const INLINE_BYTES = 16_384;

/**
 * Bodies that inflate in threads at a time. What they grow to is counted only once it is whole, so this bounds it:
 * 4 MB. More of them would be no faster, as libuv has four threads.
 */
export const MAX_IN_THREADS = 8;

let inThreads = 0;
const waiting: (() => void)[] = [];

async function gunzipInTurn(bytes: Buffer, options: ZlibOptions): Promise<Buffer> {
  // Whoever ends hands on its place.
  if (inThreads === MAX_IN_THREADS) await new Promise<void>((resolve) => void waiting.push(resolve));
  else inThreads += 1;
  try {
    return await gunzipInThread(bytes, options);
  } finally {
    const next = waiting.shift();
    if (next === undefined) inThreads -= 1;
    else next();
  }
}

export type Inflated =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly rejection: Rejection };

export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Inflates at most `limitBytes`; more is refused, and so is what is no whole gzip stream. */
export async function inflate(bytes: Buffer, limitBytes: number): Promise<Inflated> {
  const options = { maxOutputLength: limitBytes };
  try {
    const inflated =
      bytes.length <= INLINE_BYTES ? gunzipSync(bytes, options) : await gunzipInTurn(bytes, options);
    return { ok: true, bytes: inflated };
  } catch (error) {
    const { code = "unknown" } = error as { code?: string };
    if (code === "ERR_BUFFER_TOO_LARGE") return { ok: false, rejection: sizeRejection(limitBytes) };
    return {
      ok: false,
      rejection: { code: "invalid_encoding", message: `the body is not a whole gzip stream (${code})` },
    };
  }
}
