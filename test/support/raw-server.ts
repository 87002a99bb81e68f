// A TCP server whose every byte the test decides, for what no HTTP server would do.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

export interface RawServer {
  readonly port: number;
  /** Everything received on each connection, in the order of connecting. */
  readonly received: readonly string[];
  /** The addresses of this machine that were connected to. */
  readonly reachedAt: readonly string[];
  /** Resolves once no connection is open. */
  emptied(): Promise<void>;
  close(): Promise<void>;
}

/** `onData` is called whenever bytes have arrived, with all that came on this connection so far. */
export async function startRawServer(
  onData: (socket: Socket, received: string) => void,
  { host = "127.0.0.1" }: { host?: string } = {},
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const received: string[] = [];
  const reachedAt: string[] = [];
  const server = createServer((socket) => {
    const index = received.push("") - 1;
    reachedAt.push(socket.localAddress ?? "");
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {
      // A client that drops the connection is part of these tests; "close" follows.
    });
    socket.on("data", (chunk) => {
      received[index] += chunk.toString("latin1");
      onData(socket, received[index] ?? "");
    });
  });
  server.listen(0, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    received,
    reachedAt,
    async emptied() {
      while (sockets.size > 0) await Promise.all([...sockets].map((socket) => ended(socket)));
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) setImmediate(resolve);
    else socket.once("close", () => resolve());
  });
}

/** A response with an empty body on a connection that stays open. */
export function emptyResponse(status: number, ...headers: readonly string[]): string {
  return [`HTTP/1.1 ${status} Status`, "Content-Length: 0", ...headers, "", ""].join("\r\n");
}
