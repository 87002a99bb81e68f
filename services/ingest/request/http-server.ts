import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { closesUnused } from "#runtime";
import { PIXEL_GIF } from "./pixel.ts";
import type { RequestHandler } from "./request-handler.ts";

export interface HttpServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** More are closed as soon as they come. */
  readonly maxConnections: number;
  readonly handler: RequestHandler;
  /** Whether the next request would be let in: a caller that asks first (Expect: 100-continue) is told no at once. */
  readonly isOpen: () => boolean;
  /** Makes an id for input that cannot be read as a request. */
  readonly newRequestId: () => string;
  /** CALLER_TIMES unless given. */
  readonly times?: CallerTimes;
}

/** Milliseconds. */
interface CallerTimes {
  /** A caller that takes longer to send its request than this is slow on purpose, or gone. */
  readonly requestMs: number;
  readonly headersMs: number;
  /** Interval at which the two are checked: a caller may take that much longer. */
  readonly checkEveryMs: number;
}

export interface HttpServer {
  readonly port: number;
  /** Takes no more connections; resolves when what is under way has been answered. */
  close(): Promise<void>;
}

/**
 * The time for which idle connections are kept, longer than the 60 s of common load balancers: the side that
 * keeps a connection shorter must be the caller's.
 */
const KEEP_ALIVE_MS = 75_000;
/** Node by itself looks every 30 s. */
export const CALLER_TIMES: CallerTimes = { requestMs: 30_000, headersMs: 15_000, checkEveryMs: 5_000 };
const MAX_HEADER_BYTES = 16_384;
const MAX_HEADERS = 200;

export async function startHttpServer({
  host,
  port,
  maxConnections,
  handler,
  isOpen,
  newRequestId,
  times = CALLER_TIMES,
}: HttpServerOptions): Promise<HttpServer> {
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: times.requestMs,
    headersTimeout: times.headersMs,
    connectionsCheckingInterval: times.checkEveryMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The handler says so itself, as JSON.
    requireHostHeader: false,
  });
  server.maxHeadersCount = MAX_HEADERS;
  server.maxConnections = maxConnections;
  server.on("request", handler);
  server.on("checkContinue", (request, response) => {
    if (isOpen()) response.writeContinue();
    handler(request, response);
  });
  server.on("checkExpectation", handler);
  server.on("clientError", (error, socket) => refuseUnreadable(error, socket as Socket, newRequestId));
  const closeUnused = closesUnused(server);
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    closeUnused();
    await closed;
  };
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return { port: (server.address() as AddressInfo).port, close };
}

/** The error that node:http reports for unreadable input; `rawPacket` is the last packet. */
type UnreadableError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/**
 * Recognises a pixel request that was too long: an image cannot show an error (contract 7.1). Where the
 * request's beginning came in a packet of its own, it cannot be known any more what it asks for.
 */
function isLongPixel({ code, rawPacket }: UnreadableError): boolean {
  return (
    code === "HPE_HEADER_OVERFLOW" &&
    /^(?:GET|HEAD) \/v1\/pixel\//.test(rawPacket?.toString("latin1", 0, 32) ?? "")
  );
}

/**
 * Refuses unreadable input. No HTTP, or too large a header: 400 like every other permanent refusal (contract
 * 7.3). A request that stalled: 503, as many SDKs take 408 for permanent, too, and delete the batch. A
 * connection that was opened ahead, over which nothing came, is closed without a word.
 */
function refuseUnreadable(error: UnreadableError, socket: Socket, newRequestId: () => string): void {
  const late = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  if (!socket.writable || error.code === "ECONNRESET" || (late && socket.bytesRead === 0)) {
    socket.destroy();
    return;
  }
  if (isLongPixel(error)) {
    const head = [
      "HTTP/1.1 200 OK",
      "Connection: close",
      "Content-Type: image/gif",
      "Cache-Control: no-store",
    ];
    socket.write(`${[...head, `Content-Length: ${PIXEL_GIF.length}`].join("\r\n")}\r\n\r\n`);
    socket.end(PIXEL_GIF, () => socket.destroy());
    return;
  }
  const message = late
    ? "the request did not arrive in time"
    : `the request is not readable as HTTP (${error.code})`;
  const code = late ? "request_timeout" : "invalid_request";
  const body = JSON.stringify({ success: false, code, message, error: message });
  const head = [
    late ? "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5" : "HTTP/1.1 400 Bad Request",
    "Connection: close",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${newRequestId()}`,
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
