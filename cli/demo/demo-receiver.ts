import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A call as it came in at the demo webhook. */
export interface Arrival {
  readonly body: Readonly<Record<string, unknown>>;
  readonly isSigned: boolean;
  readonly arrivedAtMs: number;
}

interface DemoReceiver {
  readonly url: string;
  readonly close: () => void;
}

/**
 * Checks X-Signature as any receiver does (contract 2.3): HMAC-SHA1 of the raw body, compared in constant
 * time.
 */
function isSignedWith(secret: string, request: IncomingMessage, rawBody: Buffer): boolean {
  const given = Buffer.from(String(request.headers["x-signature"] ?? ""), "utf8");
  const expected = Buffer.from(createHmac("sha1", secret).update(rawBody).digest("hex"), "utf8");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The address on which the receiver listens, and the host under which deliverers reach it. */
export interface ReceiverAddress {
  readonly listenHost: string;
  /** 0 for a free one. */
  readonly port: number;
  readonly publicHost: string;
}

const THIS_MACHINE: ReceiverAddress = { listenHost: "127.0.0.1", port: 0, publicHost: "127.0.0.1" };

/** A webhook that verifies what it gets and tells of it; unsigned calls get 401. On a free port of this machine unless said otherwise. */
export async function startDemoReceiver(
  secret: string,
  onArrival: (arrival: Arrival) => void,
  address: ReceiverAddress = THIS_MACHINE,
): Promise<DemoReceiver> {
  const receive = async (request: IncomingMessage): Promise<number> => {
    const rawBody = await readBody(request);
    const arrivedAtMs = Date.now();
    const isSigned = isSignedWith(secret, request, rawBody);
    onArrival({ body: JSON.parse(rawBody.toString("utf8")), isSigned, arrivedAtMs });
    return isSigned ? 200 : 401;
  };
  const server = createServer((request, response) => {
    receive(request).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(400).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address.port, address.listenHost, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${address.publicHost}:${port}/demo`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
