// Sends every call type and a bulk of track calls with Hookline's own library for TypeScript, as a customer's program would:
// node test/sdk/hookline-typescript/send.ts <ingest URL> <write key> <bulk> [<ms between two calls of the bulk>]
import { setTimeout as sleep } from "node:timers/promises";
import { type Acceptance, Hookline } from "../../../clients/typescript/index.ts";

const [endpoint = "", writeKey = "", bulk = "1000", paceMs = "0"] = process.argv.slice(2);
const failures: unknown[] = [];
const hookline = new Hookline(writeKey, {
  endpoint,
  gzip: true,
  closeTimeoutMs: 60_000,
  onError: (failure) => failures.push(failure.reason),
});

// What the library refuses must not get lost among what it takes.
function keep(accepted: Acceptance): void {
  if (!accepted.ok) failures.push(accepted.message);
}

keep(hookline.identify({ userId: "ts-user", traits: { name: "Ada", plan: "pro" } }));
keep(
  hookline.track({
    userId: "ts-user",
    event: "Order Completed",
    properties: { total: 12.5, note: "<a & b> ✓" },
    integrations: { All: false, Webhooks: true },
  }),
);
keep(hookline.page({ userId: "ts-user", name: "Home", properties: { url: "https://example.com/" } }));
keep(hookline.screen({ userId: "ts-user", name: "Main" }));
keep(hookline.group({ userId: "ts-user", groupId: "ts-group", traits: { name: "Initech" } }));
keep(hookline.alias({ userId: "ts-user", previousId: "ts-anonymous" }));
keep(
  hookline.track({ anonymousId: "ts-anonymous", event: "Anonymous", timestamp: "2012-12-02T00:30:08.276Z" }),
);
keep(hookline.track({ userId: "ts-user", event: "Elsewhere only", integrations: { All: false } }));
for (let i = 0; i < Number(bulk); i++) {
  keep(hookline.track({ userId: `ts-bulk-${i % 50}`, event: "Bulk", properties: { i } }));
  if (Number(paceMs) > 0) await sleep(Number(paceMs));
}
const closing = await hookline.close();
for (const failure of failures) process.stderr.write(`${JSON.stringify(failure)}\n`);
process.exitCode = closing.ok && failures.length === 0 ? 0 : 1;
