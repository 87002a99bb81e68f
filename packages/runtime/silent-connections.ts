import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Interval at which a closing server looks for connections that nobody uses. */
const LOOK_MS = 50;

/**
 * Watches a server's connections; call it before the server listens. Call the function that it returns when
 * the server begins to close: until it has closed, connections over which nothing comes are closed. Node
 * closes those whose last request was answered. One over which nothing has come yet, as browsers and load
 * balancers open them, it lets wait for as long as for a request's headers.
 */
export function closesUnused(server: Server): () => void {
  const connections = new Set<Socket>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  const closeUnused = (): void => {
    server.closeIdleConnections();
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  };
  return () => {
    closeUnused();
    const timer = setInterval(closeUnused, LOOK_MS);
    server.once("close", () => clearInterval(timer));
  };
}
