import { zstdCompressSync } from "node:zlib";
import kafkajs from "kafkajs";
import { decompress } from "./zstd.ts";

const { CompressionCodecs, CompressionTypes } = kafkajs;

const zstd = {
  async compress({ buffer }: { readonly buffer: Buffer }): Promise<Buffer> {
    return zstdCompressSync(buffer);
  },
  async decompress(buffer: Buffer): Promise<Buffer> {
    return decompress(buffer);
  },
};

/** Teaches the client zstd (fact 14); it comes without. Safe to call again. */
export function installZstd(): void {
  CompressionCodecs[CompressionTypes.ZSTD] = () => zstd;
}
