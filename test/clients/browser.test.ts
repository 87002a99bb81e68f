// The TypeScript client in a real Chromium, against the real ingest (only Kafka is missing) on another origin than the page's.
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import { type Browser, type Page, startChromium } from "#support/chromium";
import { type LocalServer, startLocalServer } from "#support/local-server";
import { type ClientProject, createClientProject } from "#support/packed-client";
import { until } from "#support/until";
import { type IngestFixture, startFixture, WRITE_KEY } from "../../services/ingest/fixtures/http.ts";
import { EACH_TYPE, sendEachType } from "./calls.ts";

// The first run downloads the browser.
jest.setTimeout(300_000);

let project: ClientProject;
let ingest: IngestFixture;
let browser: Browser;
let pages: LocalServer;
let pageUrl: string;

const requestedPages: string[] = [];

/** Serves an empty page, and the package's modules beside it. */
const answerPage = (request: IncomingMessage, response: ServerResponse): void => {
  requestedPages.push(request.url ?? "");
  if (request.url?.endsWith(".js")) {
    response.setHeader("content-type", "text/javascript");
    response.end(readFileSync(join(project.packed, request.url)));
    return;
  }
  response.setHeader("content-type", "text/html");
  response.end(request.url === QUICK_START ? quickStart() : "<!doctype html><title>A page</title>");
};

const QUICK_START = "/quick-start";
/** What a page asks for before it is busy. */
const BUSY = "/busy";

/** What the README shows for pages, with a place that exists; bundlers find the package by themselves, a browser by a map. */
function quickStart(): string {
  const readme = readFileSync(join(import.meta.dirname, "../../clients/typescript/README.md"), "utf8");
  const [, page = ""] = /^```html\n(.*?)^```$/ms.exec(readme) ?? [];
  const map = '<script type="importmap">{ "imports": { "@hookline/client": "/dist/index.js" } }</script>';
  return map + page.replace("https://calls.example.com", ingest.url).replace("<WRITE_KEY>", WRITE_KEY);
}

beforeAll(async () => {
  project = createClientProject();
  ingest = await startFixture();
  pages = await startLocalServer(answerPage);
  pageUrl = `http://localhost:${pages.port}/`;
  browser = await startChromium();
});
afterAll(async () => {
  await browser?.close();
  await pages?.close();
  await ingest?.close();
  project?.remove();
});
beforeEach(() => {
  ingest.stored.length = 0;
});

/** Runs a script in a new page; `Hookline`, `options`, `key` and `webStorage` are there. */
async function inPage(script: string, endpoint = ingest.url): Promise<{ page: Page; result: unknown }> {
  const page = await browser.newPage();
  await page.goto(pageUrl);
  const result = await page.evaluate(`(async () => {
    const { Hookline, webStorage } = await import("/dist/index.js");
    const key = ${JSON.stringify(WRITE_KEY)};
    const options = { endpoint: ${JSON.stringify(endpoint)} };
    const never = () => new Promise(() => {});
    ${script}
  })()`);
  return { page, result };
}

/** Types of what came. Of several copies of a call Hookline's router takes one, and so does this. */
const stored = () => [...new Map(ingest.stored.map((call) => [call.messageId, call.type])).values()].sort();
const untilStored = (count: number) =>
  until(() => ingest.stored.length >= count, { timeoutMs: 60_000, what: `${count} calls` });

test.each([{ gzip: false }, { gzip: true }])("every call type arrives with %j", async ({ gzip }) => {
  const { page, result } = await inPage(`
    const client = new Hookline(key, { ...options, gzip: ${gzip} });
    const accepted = ${sendEachType("client")};
    return { accepted: accepted.map(({ ok }) => ok), closing: await client.close() };
  `);
  expect(result).toEqual({ accepted: EACH_TYPE.map(() => true), closing: { ok: true } });
  expect(stored()).toEqual(EACH_TYPE);
  await page.close();
});

/** Sends one more call from a page of its own: what the browser had still to send by itself has come by then. */
async function untilLast(): Promise<void> {
  const { page } = await inPage(`
    const client = new Hookline(key, options);
    client.track({ userId: "u", event: "Last" });
    await client.close();
  `);
  await page.close();
}

// Leaving hides the page and then ends it: two events, of which the second finds nothing to copy.
test.each([
  { by: "sendBeacon", before: "" },
  { by: "fetch with keepalive", before: "delete Navigator.prototype.sendBeacon;" },
])("what is queued arrives once when the page is left, by $by", async ({ before }) => {
  const { page, result } = await inPage(`
    ${before}
    const client = new Hookline(key, { ...options, flushAfterMs: 3_600_000, fetch: never });
    ${sendEachType("client")};
    return navigator.sendBeacon === undefined;
  `);
  expect([result, stored()]).toEqual([before !== "", []]);
  await page.goto("about:blank");
  await untilStored(EACH_TYPE.length);
  await untilLast();
  expect(ingest.stored.map(({ type }) => type).sort()).toEqual([...EACH_TYPE, "track"].sort());
  await page.close();
});

// A document of its own in a page that stays: a tab that is closed has half a second, which a busy machine may not give it.
test("what is queued arrives when the document is closed", async () => {
  const { page } = await inPage(`
    const frame = document.createElement("iframe");
    frame.src = location.href;
    const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
    document.body.append(frame);
    await loaded;
    const run = frame.contentWindow.eval("(async (script) => { await eval(script); })");
    await run(\`(async () => {
      const { Hookline } = await import("/dist/index.js");
      const key = \${JSON.stringify(key)};
      const options = \${JSON.stringify(options)};
      const never = () => new Promise(() => {});
      new Hookline(key, { ...options, flushAfterMs: 3_600_000, fetch: never }).track({ userId: "u", event: "Left" });
    })()\`);
    frame.remove();
  `);
  await untilStored(1);
  expect(stored()).toEqual(["track"]);
  await page.close();
});

// A browser waits half a second for the page of a tab that is closed, and ends it without a word when it is busy for longer (decision 65).
test("what a busy page could not send when its tab was closed is in its storage, and the next page sends it", async () => {
  const { page, result } = await inPage(`
    localStorage.clear();
    const store = webStorage(localStorage);
    const client = new Hookline(key, { ...options, flushAfterMs: 3_600_000, fetch: never, store });
    return client.track({ userId: "u", event: "Left" }).messageId;
  `);
  const busy = page.evaluate(`
    navigator.sendBeacon("${BUSY}");
    for (const endMs = performance.now() + 60_000; performance.now() < endMs; );
  `);
  // Its page ends before it.
  busy.catch(() => undefined);
  await until(() => requestedPages.includes(BUSY), { timeoutMs: 60_000, what: "the page to be busy" });
  await page.close();
  expect(ingest.stored).toEqual([]);
  const next = await inPage(`
    const client = new Hookline(key, { ...options, store: webStorage(localStorage) });
    return { closing: await client.close(), kept: localStorage.length };
  `);
  expect(next.result).toEqual({ closing: { ok: true }, kept: 0 });
  expect(ingest.stored.map(({ messageId }) => messageId)).toEqual([result]);
  await next.page.close();
});

test("what a page could not send is in its storage, and the next page sends it under its id", async () => {
  // Nobody listens on port 1.
  const { page, result } = await inPage(
    `
    localStorage.clear();
    const client = new Hookline(key, { ...options, store: webStorage(localStorage), onError: () => {} });
    const { messageId } = client.track({ userId: "u", event: "Offline" });
    const closing = await client.close({ timeoutMs: 200 });
    return { messageId, closing, kept: localStorage.length };
  `,
    "http://127.0.0.1:1",
  );
  const { messageId } = result as { messageId: string };
  expect(result).toEqual({ messageId, closing: { ok: false, unsent: 1 }, kept: 1 });
  await page.close();
  const next = await inPage(`
    const client = new Hookline(key, { ...options, store: webStorage(localStorage) });
    return { closing: await client.close(), kept: localStorage.length };
  `);
  expect(next.result).toEqual({ closing: { ok: true }, kept: 0 });
  expect(ingest.stored.map((call) => call.messageId)).toEqual([messageId]);
  await next.page.close();
});

test("the README's page sends its call", async () => {
  const page = await browser.newPage();
  await page.goto(new URL(QUICK_START, pageUrl).href);
  // The page's own flush comes after 5 s; leaving it is faster.
  await page.goto("about:blank");
  await untilStored(1);
  expect(stored()).toEqual(["page"]);
  await page.close();
});
