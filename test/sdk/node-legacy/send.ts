// Sends every call type and a bulk of track calls with the unmodified analytics-node 6, as a customer's program would:
// node test/sdk/node-legacy/send.ts <ingest URL> <write key> <bulk> <the module's path>
import { createRequire } from "node:module";

type Call = (message: object, callback: (error?: Error) => void) => void;
type Calls = Record<"identify" | "track" | "page" | "screen" | "group" | "alias", Call>;

const [host = "", writeKey = "", bulk = "100", path = ""] = process.argv.slice(2);
const Analytics = createRequire(import.meta.url)(path) as new (
  writeKey: string,
  options: object,
) => Calls & { flush(): Promise<unknown> };
const failures: unknown[] = [];
const analytics = new Analytics(writeKey, { host, errorHandler: (error: unknown) => failures.push(error) });
const delivered: Promise<void>[] = [];

function send(type: keyof Calls, message: object): void {
  delivered.push(new Promise((resolve) => analytics[type](message, () => resolve())));
}

send("identify", { userId: "legacy-user", traits: { name: "Ada", plan: "pro" } });
send("track", {
  userId: "legacy-user",
  event: "Order Completed",
  properties: { total: 12.5, note: "<a & b> ✓" },
  integrations: { All: false, Webhooks: true },
});
send("track", { userId: "legacy-user", event: "Elsewhere only", integrations: { All: false } });
send("page", { userId: "legacy-user", name: "Home", properties: { url: "https://example.com/" } });
send("screen", { userId: "legacy-user", name: "Main" });
send("group", { userId: "legacy-user", groupId: "legacy-group", traits: { name: "Initech" } });
send("alias", { userId: "legacy-user", previousId: "legacy-anonymous" });
send("track", {
  anonymousId: "legacy-anonymous",
  event: "Anonymous",
  timestamp: new Date("2012-12-02T00:30:08.276Z"),
});
for (let i = 0; i < Number(bulk); i++)
  send("track", { userId: `legacy-bulk-${i % 50}`, event: "Bulk", properties: { i } });
await analytics.flush();
await Promise.all(delivered);
for (const failure of failures) process.stderr.write(`${String(failure)}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
