import { PassThrough, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { ProblemError } from "../../../http/problem.ts";

/** Decompressed. Five million rows of a hundred bytes fit. */
const MAX_BODY_BYTES = 1024 * 1024 * 1024;
/** Ids in their order compress to a tenth. What compresses to a thousandth is made to cost more than it took to send. */
const MAX_RATIO = 100;
/** Below it nothing is asked: a short list may be all alike. */
const LEAST_COMPARED_BYTES = 4 * 1024 * 1024;

/** The upload as it was before its compression. Its errors are ProblemErrors. */
export interface DecodedBody {
  readonly stream: Readable;
  /** Reads what is left of the request and throws it away, so that the answer can be sent. */
  discard(): void;
}

/** `encoding` is that of the request's Content-Encoding. Throws for one that is not known. */
export function decodedBody(request: Readable, encoding: string | undefined): DecodedBody {
  const decoder = decoderOf(encoding);
  const stream = new PassThrough();
  // It may fail before anybody reads it, and fails for whoever does then.
  stream.on("error", () => undefined);
  let [sentBytes, sizeBytes] = [0, 0];
  request.on("data", (bytes: Buffer) => {
    sentBytes += bytes.length;
  });
  decoder.on("data", (bytes: Buffer) => {
    sizeBytes += bytes.length;
    if (sizeBytes > MAX_BODY_BYTES)
      stream.destroy(new ProblemError("too_large", `an upload has at most ${MAX_BODY_BYTES} bytes`));
    else if (sizeBytes > LEAST_COMPARED_BYTES && sizeBytes > MAX_RATIO * sentBytes)
      stream.destroy(
        new ProblemError(
          "too_large",
          `an upload has at most ${MAX_RATIO} times its compressed bytes: send it plain`,
        ),
      );
  });
  decoder.on("error", () =>
    stream.destroy(new ProblemError("unreadable", "the body is no gzip, or breaks off")),
  );
  request.on("error", () => stream.destroy(new ProblemError("unreadable", "the upload was broken off")));
  // Not by a pipeline: that would end the connection with the first error, and the answer with it.
  decoder.pipe(stream);
  request.pipe(decoder);
  return {
    stream,
    discard() {
      request.unpipe();
      request.resume();
      decoder.destroy();
      stream.destroy();
    },
  };
}

function decoderOf(encoding: string | undefined) {
  if (encoding === undefined || encoding === "identity") return new PassThrough();
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip();
  throw new ProblemError("unsupported_media_type", "Content-Encoding may be gzip, or nothing");
}
