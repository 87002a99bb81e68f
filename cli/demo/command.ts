import type { Command } from "commander";
import { SERVICES } from "#contract";
import { readSettings } from "#runtime";
import { settings as schema } from "../config.ts";
import type { CommandContext } from "../context.ts";
import { CommandError, EXIT } from "../exit-codes.ts";
import { addLeaf, portNumber } from "../leaf.ts";
import { startDemo } from "./demo.ts";

interface DemoOptions {
  readonly ingest: string;
  readonly host: string;
  readonly listen: string;
  readonly port: number;
}

/** `hookline demo`: a webhook, a destination for it, and a few calls. */
export function addDemo(program: Command, context: CommandContext): void {
  addLeaf(program, "demo", {
    description:
      "receive calls at a webhook of its own, send a few, and show what arrives until a signal ends it",
    examples: ["demo", "demo --ingest http://ingest:8080 --host demo --listen 0.0.0.0 --port 9000"],
  })
    .option("--ingest <url>", "where calls are sent", `http://127.0.0.1:${SERVICES.ingest.port}`)
    .option("--host <name>", "host under which deliverers reach the webhook", "127.0.0.1")
    .option("--listen <address>", "address that the webhook listens on", "127.0.0.1")
    .option("--port <number>", "port of the webhook; 0 for a free one", portNumber, 0)
    .action((options: DemoOptions) => run(context, options));
}

async function run(context: CommandContext, { ingest, host, listen, port }: DemoOptions): Promise<void> {
  const { control } = readSettings(schema, {
    processName: "hookline demo",
    environment: context.environment,
  });
  const demo = await startDemo({
    ingestUrl: ingest,
    controlUrl: control.url,
    token: control.token,
    say: context.print,
    receiver: { listenHost: listen, port, publicHost: host },
  }).catch(unreachable);
  context.print(
    `A call has arrived at ${demo.webhookUrl}. The write key is ${demo.writeKey}; calls as they come:`,
  );
  // The first process of a container ends by a signal only when it says so itself.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, demo.close);
  await demo.sendCalls().catch((error: Error) => {
    demo.close();
    unreachable(error);
  });
}

function unreachable({ message }: Error): never {
  throw new CommandError(message, EXIT.unreachable);
}
