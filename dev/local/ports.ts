import { createServer, type Server } from "node:net";

// The ports lie below the range from which systems take those of outgoing connections (32768 and up on
// Linux): otherwise a client that keeps trying to reach a stopped broker can be given that very port, and the
// broker cannot come back.
const LOWEST_PORT = 20_000;
const PORT_COUNT = 12_000;
const MAX_TRIES = 200;

function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Ports of 127.0.0.1 that are free now, all different. */
export async function freePorts(count: number, random: () => number = Math.random): Promise<number[]> {
  const held = new Map<number, Server>();
  for (let tries = 0; held.size < count; tries += 1) {
    if (tries === MAX_TRIES + count) throw new Error(`found no ${count} free ports`);
    const port = LOWEST_PORT + Math.floor(random() * PORT_COUNT);
    const server = held.has(port) ? undefined : await listenOn(port);
    if (server !== undefined) held.set(port, server);
  }
  await Promise.all([...held.values()].map(close));
  return [...held.keys()];
}
