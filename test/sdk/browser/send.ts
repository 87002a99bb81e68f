// Sends every call type and a bulk of track calls with the unmodified @segment/analytics-next in a Chromium, as a customer's page would:
// node test/sdk/browser/send.ts <ingest URL> <write key> <bulk> <the folder of the library's script>
// The bulk goes out in batches. It ends with its standard input: the library does not say when a batch is delivered.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { startChromium } from "#support/chromium";

const [endpoint = "", writeKey = "", bulk = "1000", library = ""] = process.argv.slice(2);
const BATCH = 100;
/** On a busy machine, through outages. */
const TAKEN_WITHIN_MS = 120_000;

/** An empty page, and the library's script with the parts that it loads later. */
const pages = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const isScript = pathname.endsWith(".js");
  response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
  response.end(
    isScript
      ? readFileSync(join(library, basename(pathname)))
      : '<!doctype html><title>A page</title><script src="/index.js"></script>',
  );
}).listen(0, "127.0.0.1");

const ANONYMOUS = `(async () => {
  window.load = (settings) => AnalyticsNext.AnalyticsBrowser.load(
    { writeKey: ${JSON.stringify(writeKey)}, cdnURL: ${JSON.stringify(endpoint)} },
    { integrations: { "Segment.io": { apiHost: ${JSON.stringify(`${new URL(endpoint).host}/v1`)}, protocol: "http", ...settings } } },
  );
  window.analytics = load({});
  await analytics.track("Anonymous", {}, { timestamp: "2012-12-02T00:30:08.276Z" });
})()`;
const IDENTIFIED = `(async () => {
  await analytics.identify("browser-user", { name: "Ada", plan: "pro" });
  await analytics.track("Order Completed", { total: 12.5, note: "<a & b> ✓" }, { integrations: { All: false, Webhooks: true } });
  await analytics.track("Elsewhere only", {}, { integrations: { All: false } });
  await analytics.page("Home", { url: "https://example.com/" });
  await analytics.screen("Main");
  await analytics.group("browser-group", { name: "Initech" });
  await analytics.alias("browser-other", "browser-user");
  const inBatches = load({ deliveryStrategy: { strategy: "batching", config: { size: ${BATCH}, timeout: 1000 } } });
  for (let i = 0; i < ${Number(bulk)}; i++) inBatches.track("Bulk", { i });
})()`;

const ended = once(process.stdin.resume(), "end");
await once(pages, "listening");
const browser = await startChromium();
try {
  const page = await browser.newPage();
  await page.goto(`http://localhost:${(pages.address() as AddressInfo).port}/`);
  // The library gives a call that it sends again the user that is known by then: with another user it is another call (contract 1.8).
  const taken = page.waitForResponse((response) => response.request().method() === "POST" && response.ok(), {
    timeout: TAKEN_WITHIN_MS,
  });
  await page.evaluate(ANONYMOUS);
  await taken;
  await page.evaluate(IDENTIFIED);
  await ended;
} finally {
  await browser.close();
  pages.close();
  pages.closeAllConnections();
}
