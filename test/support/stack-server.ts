// Runs in the process that distributes the tests, and gives each suite the Kafka that it needs: one stack for all that leave
// it as it is, started by the first suite that asks, and one for those that take brokers away, which have it one at a time.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Stack } from "#stack";
import { startLocalServer } from "./local-server.ts";
import { OutageStack } from "./outage-stack.ts";

export interface StackServerOptions {
  readonly startShared: () => Promise<Stack>;
  readonly startOutage: (brokers: 1 | 3) => Promise<Stack>;
}

export interface StackServer {
  readonly url: string;
  /** Ends the stacks that were started. */
  readonly stop: () => Promise<void>;
}

/** Turns are had one after the other, in the order in which they were asked for. */
class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Ends when it is the caller's turn; gives what ends it. */
  async take(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = before.then(() => promise);
    await before;
    return resolve;
  }
}

function addressesOf({ brokers, registryUrl, detours, rung }: Stack): Omit<Stack, "broker" | "stop"> {
  return { brokers, registryUrl, detours, rung };
}

export async function startStackServer(options: StackServerOptions): Promise<StackServer> {
  const turns = new Turns();
  const outage = new OutageStack(options.startOutage);
  let shared: Promise<Stack> | undefined;

  /** Holds the answer open: the turn lasts until the suite, or its process, closes the connection. */
  const giveTurn = async (brokers: 1 | 3, response: ServerResponse): Promise<void> => {
    const closed = new Promise<void>((resolve) => response.on("close", resolve));
    const end = await turns.take();
    try {
      if (response.destroyed) return;
      response.write(JSON.stringify(addressesOf(await outage.start(brokers))));
      await closed;
      await outage.mend();
    } finally {
      end();
    }
  };

  const answer = async ({ url = "" }: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A worker asks again a suite later: a connection kept until then may close just as it is used.
    response.setHeader("connection", "close");
    const { pathname, searchParams: asked } = new URL(url, "http://127.0.0.1");
    switch (pathname) {
      case "/turn":
        return giveTurn(asked.get("brokers") === "3" ? 3 : 1, response);
      case "/broker":
        await outage.control(Number(asked.get("index")), asked.get("do") as "stop" | "kill" | "start");
        response.end();
        return;
      default:
        shared ??= options.startShared();
        response.end(JSON.stringify(addressesOf(await shared)));
    }
  };
  const server = await startLocalServer((request, response) =>
    answer(request, response).catch((error: Error) => {
      if (response.headersSent) throw error;
      response.writeHead(503).end(error.message);
    }),
  );
  return {
    url: server.url,
    stop: async () => {
      await server.close();
      await outage.stop();
      const started = await shared?.catch(() => undefined);
      await started?.stop();
    },
  };
}
