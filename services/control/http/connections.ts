// Which connections are held: those over which nobody with a token asks anything make room for others.
import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface Connections {
  /** A request of somebody who may use the API is under way. */
  begun(socket: Socket): void;
  /** It has been answered; to be called once for each `begun`. */
  ended(socket: Socket): void;
}

/**
 * Holds at most so many connections. One more closes the one that has been without a request for longest; where each has one, it is
 * closed itself.
 */
export function boundConnections(server: Pick<Server, "on">, most: number): Connections {
  /** Requests under way by connection. */
  const held = new Map<Socket, number>();
  /** Those without a request, the longest first. */
  const silent = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    if (held.size >= most) {
      const [oldest = socket] = silent;
      oldest.destroy();
      forget(oldest);
      if (oldest === socket) return;
    }
    held.set(socket, 0);
    silent.add(socket);
    socket.once("close", () => forget(socket));
  });
  function forget(socket: Socket): void {
    held.delete(socket);
    silent.delete(socket);
  }
  function count(socket: Socket, more: 1 | -1): void {
    const before = held.get(socket);
    if (before === undefined) return;
    held.set(socket, before + more);
    if (before + more === 0) silent.add(socket);
    else silent.delete(socket);
  }
  return { begun: (socket) => count(socket, 1), ended: (socket) => count(socket, -1) };
}
