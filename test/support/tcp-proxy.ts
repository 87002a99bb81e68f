// A network that can be cut: a TCP proxy between a client and a server.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** How a cut looks from both ends: nothing comes through and nobody is told; or every connection is reset and refused. */
export type Cut = "silent" | "reset";

export interface TcpProxy {
  readonly port: number;
  /** Connections that are open to the client. */
  readonly connections: number;
  /** Until it is mended. What is sent into a silent cut arrives after it, as TCP would send it again. */
  cut(how: Cut): void;
  mend(): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  /** Not there while the cut holds a new connection. */
  server?: Socket;
}

function addressOf(target: string): { host: string; port: number } {
  const at = target.lastIndexOf(":");
  return { host: target.slice(0, at), port: Number(target.slice(at + 1)) };
}

/** Listens on 127.0.0.1, on a free port unless one is given, and hands everything on to `target` ("host:port"). */
export async function startTcpProxy(target: string, port = 0): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let state: Cut | "open" = "open";

  const end = (pair: Pair): void => {
    pairs.delete(pair);
    pair.client.resetAndDestroy();
    pair.server?.resetAndDestroy();
  };
  const join = (pair: Pair): void => {
    const { client } = pair;
    const server = connect(addressOf(target));
    pair.server = server;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.setNoDelay(true);
      from.pipe(to);
      // "close" follows: what one end does the other one learns.
      from.on("error", () => end(pair));
      from.on("close", () => end(pair));
    }
  };
  const hold = ({ client, server }: Pair): void => {
    for (const socket of [client, server]) socket?.unpipe().pause();
  };
  const release = (pair: Pair): void => {
    const { client, server } = pair;
    if (server === undefined) {
      join(pair);
      return;
    }
    client.pipe(server);
    server.pipe(client);
  };
  const listener = createServer({ pauseOnConnect: true }, (client) => {
    const pair: Pair = { client };
    pairs.add(pair);
    if (state === "open") join(pair);
    else if (state === "reset") end(pair);
    else client.on("error", () => end(pair));
  });
  listener.listen(port, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();

  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    get connections() {
      return pairs.size;
    },
    cut(how) {
      state = how;
      for (const pair of pairs) how === "reset" ? end(pair) : hold(pair);
    },
    mend() {
      const wasSilent = state === "silent";
      state = "open";
      if (wasSilent) for (const pair of pairs) release(pair);
    },
    async close() {
      for (const pair of pairs) end(pair);
      listener.close();
      await once(listener, "close");
    },
  };
}
