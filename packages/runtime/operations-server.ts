// /metrics, /livez and /readyz, on a port of their own so that they are never exposed with the service's own routes.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { HealthState } from "./health.ts";
import type { Metrics } from "./metrics.ts";

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const json = (status: number, body: object): Answer => ({
  status,
  contentType: "application/json",
  body: `${JSON.stringify(body)}\n`,
});

async function answerTo(path: string, metrics: Metrics, health: HealthState): Promise<Answer> {
  switch (path) {
    case "/metrics":
      return { status: 200, contentType: metrics.contentType, body: await metrics.expose() };
    case "/livez":
      return json(200, { status: "live" });
    case "/readyz": {
      const reasons = health.notReadyBecause();
      return reasons.length === 0
        ? json(200, { status: "ready" })
        : json(503, { status: "not ready", reasons });
    }
    default:
      return json(404, { status: "not found", paths: ["/metrics", "/livez", "/readyz"] });
  }
}

export interface OperationsServer {
  /** The port that is really bound. */
  readonly port: number;
  close(): Promise<void>;
}

/** Listens; rejects when the port is taken. */
export async function startOperationsServer(options: {
  readonly host: string;
  readonly port: number;
  readonly metrics: Metrics;
  readonly health: HealthState;
}): Promise<OperationsServer> {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD", connection: "close" }).end();
      return;
    }
    const answer = await answerTo(path, options.metrics, options.health).catch((error: unknown) =>
      json(500, { status: "failed", message: String(error) }),
    );
    response.writeHead(answer.status, { "content-type": answer.contentType });
    response.end(request.method === "HEAD" ? undefined : answer.body);
  };
  const server = createServer((request, response) => void handle(request, response));
  server.listen(options.port, options.host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
