// Which connections are held: those over which nobody with a token asks anything, or takes the answer, make room for others.
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Host } from "#host";
import { ProblemError } from "./problem.ts";

export interface ConnectionsOptions {
  readonly host: Pick<Host, "elapsed" | "setInterval">;
  readonly server: Pick<Server, "on">;
  /** Connections that are held; half of them may have requests of one token under way. */
  readonly most: number;
}

export interface Connections {
  /**
   * A request that this token allows is under way; to be ended once, when it has been answered. Throws a 503 while half of the connections
   * have requests of the token under way.
   */
  begin(request: IncomingMessage, token: string): { end(): void };
}

/** An upload over a bad line goes on after that. */
const BODY_STOPS_MS = 10_000;
/** The bytes of an answer go in large pieces where the line is slow. */
const ANSWER_STOPS_MS = 30_000;
/** How exactly it is known when the last bytes came and went. */
const LOOK_MS = 2_000;

/**
 * Holds at most so many connections. One more closes the silent one whose last request began or ended longest ago; where none is silent,
 * it is closed itself.
 */
export function boundConnections({ host, most, server }: ConnectionsOptions): Connections {
  /** Those whose last request began or ended longest ago first. */
  const held = new Map<Socket, Connection>();
  server.on("connection", (socket: Socket) => {
    if (held.size >= most) {
      const silent = [...held.values()].find((connection) => connection.isSilent());
      const { socket: closed } = silent ?? { socket };
      closed.destroy();
      held.delete(closed);
      if (closed === socket) return;
    }
    held.set(socket, new Connection(socket, host));
    socket.once("close", () => held.delete(socket));
  });
  server.on("listening", () => {
    const timer = host.setInterval(() => {
      for (const connection of held.values()) connection.look();
    }, LOOK_MS);
    server.on("close", () => timer.clear());
  });
  function requirePlace(socket: Socket, token: string): void {
    const others = [...held.values()].filter((one) => one.token === token && one.socket !== socket);
    const share = Math.floor(most / 2);
    if (others.length < share || others.filter((one) => !one.isSilent()).length < share) return;
    throw new ProblemError(
      "unavailable",
      `${share} requests are under way with the token ${token}, which is the most`,
    );
  }
  function moveToEnd(connection: Connection): void {
    if (held.delete(connection.socket)) held.set(connection.socket, connection);
  }
  return {
    begin(request, token) {
      const { socket } = request;
      requirePlace(socket, token);
      const connection = held.get(socket);
      // It was closed with the request still to be read.
      if (connection === undefined) return { end: () => undefined };
      connection.begin(request, token);
      moveToEnd(connection);
      return {
        end() {
          connection.end(request);
          moveToEnd(connection);
        },
      };
    },
  };
}

class Connection {
  readonly socket: Socket;
  readonly #host: Pick<Host, "elapsed">;
  /** Under way; several only where the client does not wait for answers. */
  readonly #requests = new Set<IncomingMessage>();
  /** Of the last request. */
  #token: string | undefined;
  #readBytes = 0;
  /** When bytes of the body came last. */
  #readAtMs = Number.NEGATIVE_INFINITY;
  #takenBytes = 0;
  /** When bytes of an answer were taken last, or none waited. */
  #takenAtMs = Number.NEGATIVE_INFINITY;

  constructor(socket: Socket, host: Pick<Host, "elapsed">) {
    this.socket = socket;
    this.#host = host;
  }

  /** Undefined while no request is under way. */
  get token(): string | undefined {
    return this.#requests.size === 0 ? undefined : this.#token;
  }

  begin(request: IncomingMessage, token: string): void {
    this.#requests.add(request);
    this.#token = token;
    this.look();
    // What has come so far are the headers.
    this.#readAtMs = Number.NEGATIVE_INFINITY;
  }

  end(request: IncomingMessage): void {
    this.#requests.delete(request);
  }

  look(): void {
    const { bytesRead, bytesWritten, writableLength } = this.socket;
    const nowMs = this.#host.elapsed();
    const takenBytes = bytesWritten - writableLength;
    if (bytesRead !== this.#readBytes) this.#readAtMs = nowMs;
    if (takenBytes !== this.#takenBytes || writableLength === 0) this.#takenAtMs = nowMs;
    this.#readBytes = bytesRead;
    this.#takenBytes = takenBytes;
  }

  /** No request is under way, or its body does not come, or nobody takes its answer. */
  isSilent(): boolean {
    if (this.#requests.size === 0) return true;
    this.look();
    const nowMs = this.#host.elapsed();
    const isToCome = [...this.#requests].every(
      (request) => !request.complete && request.readableLength === 0,
    );
    return isToCome ? nowMs - this.#readAtMs > BODY_STOPS_MS : nowMs - this.#takenAtMs > ANSWER_STOPS_MS;
  }
}
