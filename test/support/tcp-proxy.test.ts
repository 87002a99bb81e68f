import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { startRawServer } from "#support/raw-server";
import { until } from "#support/until";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A server that gives back what it gets, behind a proxy. */
async function startEcho() {
  const server = await startRawServer((socket, received) => {
    if (received.endsWith("\n"))
      socket.write(received.slice(received.lastIndexOf("\n", received.length - 2) + 1));
  });
  closers.push(() => server.close());
  const proxy = await startTcpProxy(`127.0.0.1:${server.port}`);
  closers.push(() => proxy.close());
  return { server, proxy };
}

interface Client {
  readonly socket: Socket;
  readonly said: () => string;
}

function dial({ port }: TcpProxy): Client {
  const socket = connect(port, "127.0.0.1");
  let said = "";
  socket.on("data", (chunk) => {
    said += chunk.toString();
  });
  socket.on("error", () => undefined);
  closers.push(async () => void socket.destroy());
  return { socket, said: () => said };
}

async function hears(client: Client, text: string): Promise<void> {
  await until(() => client.said() === text, {
    timeoutMs: 60_000,
    what: () => `${text}, got ${client.said()}`,
  });
}

/** However it was closed: a reset is an error first. */
function closed({ socket }: Client): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

describe("a network that can be cut", () => {
  test("hands everything on while it is whole", async () => {
    const { proxy } = await startEcho();
    const client = dial(proxy);
    client.socket.write("one\n");
    await hears(client, "one\n");
  });

  test("a silent cut lets nothing through, tells nobody, and what was sent arrives when it is mended", async () => {
    const { server, proxy } = await startEcho();
    const before = dial(proxy);
    before.socket.write("one\n");
    await hears(before, "one\n");
    proxy.cut("silent");
    before.socket.write("two\n");
    const during = dial(proxy);
    during.socket.write("three\n");
    await once(during.socket, "connect");
    await until(() => proxy.connections === 2, { timeoutMs: 60_000, what: "both connections" });
    expect([before.said(), server.received]).toEqual(["one\n", ["one\n"]]);
    proxy.mend();
    await hears(before, "one\ntwo\n");
    await hears(during, "three\n");
  });

  test("a cut with resets breaks every connection and refuses new ones until it is mended", async () => {
    const { proxy } = await startEcho();
    const before = dial(proxy);
    before.socket.write("one\n");
    await hears(before, "one\n");
    const broken = closed(before);
    proxy.cut("reset");
    await broken;
    const refused = dial(proxy);
    await closed(refused);
    proxy.mend();
    const after = dial(proxy);
    after.socket.write("two\n");
    await hears(after, "two\n");
  });

  test("a server that is gone looks like a connection that is broken", async () => {
    const { server, proxy } = await startEcho();
    await server.close();
    closers.shift();
    const client = dial(proxy);
    await closed(client);
    await until(() => proxy.connections === 0, { timeoutMs: 60_000, what: "no connection" });
  });
});
