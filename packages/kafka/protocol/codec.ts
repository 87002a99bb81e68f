import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import kafkajs from "kafkajs";

const { CompressionCodecs, CompressionTypes } = kafkajs;

const zstd = {
  async compress({ buffer }: { readonly buffer: Buffer }): Promise<Buffer> {
    return zstdCompressSync(buffer);
  },
  async decompress(buffer: Buffer): Promise<Buffer> {
    return zstdDecompressSync(buffer);
  },
};

/** Teaches the client zstd (fact 14); it comes without. Safe to call again. */
export function installZstd(): void {
  CompressionCodecs[CompressionTypes.ZSTD] = () => zstd;
}
