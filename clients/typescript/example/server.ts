// A receiver to try things out with: `node clients/typescript/example/server.ts --secret s3cr3t [--port 9000] [--scheme both]`.
// Verifies every request, prints its call, and does nothing twice for calls that arrive twice.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type DeliveredCall, receiveCall, type Scheme } from "../webhooks/index.ts";

const SCHEMES: readonly Scheme[] = ["x-signature", "standard-webhooks", "both"];
const REMEMBERED_CALLS = 10_000;

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "9000" },
    /** Given twice while the secret is being changed. */
    secret: { type: "string", multiple: true, default: [] },
    scheme: { type: "string", default: "x-signature" },
    help: { type: "boolean", default: false },
  },
});
const scheme = SCHEMES.find((each) => each === values.scheme) ?? "x-signature";
const seen = new Set<string>();

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/**
 * Whether the call has come before: a lost answer makes the sender try again, with the same messageId and user. The user is the userId, else
 * the anonymousId: several users' calls may have one messageId.
 */
function isRepeated({ anonymousId, messageId, userId }: DeliveredCall): boolean {
  if (messageId === undefined) return false;
  const key = JSON.stringify([messageId, userId ?? { anonymousId }]);
  if (seen.has(key)) return true;
  seen.add(key);
  if (seen.size > REMEMBERED_CALLS) seen.delete(seen.values().next().value ?? "");
  return false;
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const receipt = await receiveCall(request, { secrets: values.secret, scheme });
  if (!receipt.ok) {
    print(`refused (${receipt.status}): ${receipt.reason}`);
    // The body may not have been read to its end.
    response.writeHead(receipt.status, { connection: "close" }).end(receipt.reason);
    return;
  }
  const { call } = receipt;
  print(`${isRepeated(call) ? "again" : "call"}: ${JSON.stringify(call)}`);
  response.writeHead(204).end();
}

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    print(`failed: ${String(error)}`);
    response.destroy();
  });
});
if (values.help) print(readFileSync(join(import.meta.dirname, "help.txt"), "utf8").trimEnd());
else
  server.listen(Number(values.port), "127.0.0.1", () => {
    print(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });
