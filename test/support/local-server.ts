import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Certificate } from "./certificates.ts";

export interface LocalServer {
  readonly port: number;
  readonly url: string;
  /** Cuts what is open. */
  readonly close: () => Promise<void>;
}

/** An HTTP or HTTPS server on a free port of 127.0.0.1. A connection whose answer fails, as when its client goes away half-way, is cut. */
export async function startLocalServer(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  tls?: Certificate,
): Promise<LocalServer> {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> =>
    answer(request, response);
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    handle(request, response).catch(() => response.destroy());
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
