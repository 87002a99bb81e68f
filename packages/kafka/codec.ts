import { promisify } from "node:util";
import { zstdCompress, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import kafkajs from "kafkajs";

const { CompressionCodecs, CompressionTypes } = kafkajs;

/** Above this the thread pool compresses; below, its round trip costs more than the work. */
const SYNC_LIMIT_BYTES = 128 * 1024;

const compressInThreadPool = promisify(zstdCompress);

/** What the client hands to a codec for encoding. */
interface EncodedRecords {
  readonly buffer: Buffer;
}

const zstd = {
  async compress({ buffer }: EncodedRecords): Promise<Buffer> {
    return buffer.length <= SYNC_LIMIT_BYTES ? zstdCompressSync(buffer) : await compressInThreadPool(buffer);
  },
  async decompress(buffer: Buffer): Promise<Buffer> {
    return zstdDecompressSync(buffer);
  },
};

/** Teaches the client zstd (fact 14); it comes without. Safe to call again. */
export function installZstd(): void {
  CompressionCodecs[CompressionTypes.ZSTD] = () => zstd;
}
