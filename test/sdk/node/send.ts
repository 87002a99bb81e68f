// Sends every call type and a bulk of track calls with the unmodified @segment/analytics-node, as a customer's program would:
// node test/sdk/node/send.ts <ingest URL> <write key> <bulk>
import { Analytics } from "@segment/analytics-node";

const [host = "", writeKey = "", bulk = "1000"] = process.argv.slice(2);
const analytics = new Analytics({ host, writeKey });
const failures: unknown[] = [];
analytics.on("error", (error) => failures.push(error));

analytics.identify({ userId: "node-user", traits: { name: "Ada", plan: "pro" } });
analytics.track({
  userId: "node-user",
  event: "Order Completed",
  properties: { total: 12.5, note: "<a & b> ✓" },
  integrations: { All: false, Webhooks: true },
});
analytics.track({ userId: "node-user", event: "Elsewhere only", integrations: { All: false } });
analytics.page({ userId: "node-user", name: "Home", properties: { url: "https://example.com/" } });
analytics.screen({ userId: "node-user", name: "Main" });
analytics.group({ userId: "node-user", groupId: "node-group", traits: { name: "Initech" } });
analytics.alias({ userId: "node-user", previousId: "node-anonymous" });
analytics.track({ anonymousId: "node-anonymous", event: "Anonymous", timestamp: "2012-12-02T00:30:08.276Z" });
for (let i = 0; i < Number(bulk); i++) {
  analytics.track({ userId: `node-bulk-${i % 50}`, event: "Bulk", properties: { i } });
}
await analytics.closeAndFlush({ timeout: 60_000 });
for (const failure of failures) process.stderr.write(`${String(failure)}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
