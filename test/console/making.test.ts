// Sources, destinations, audiences and computed traits are made, switched and deleted in a real Chromium; a source's program is run by a real SDK.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { ConsolePage } from "#support/console";
import { environment } from "#support/environment";
import { until } from "#support/until";
import { openShownWorld, type ShownWorld } from "./shown.ts";
import type { World } from "./world.ts";

// The first run downloads the browser.
jest.setTimeout(300_000);

const ROOT = join(import.meta.dirname, "../..");
const TIMEOUT_MS = 60_000;
const SDK = "@segment/analytics-node";

let opened: ShownWorld | undefined;
let world: World;
let shown: ConsolePage;

beforeAll(async () => {
  opened = await openShownWorld({ calls: [{ userId: "ann", event: "Order Completed", messageId: "m-1" }] });
  ({ shown, world } = opened);
}, 300_000);

afterAll(() => opened?.close(), 180_000);

/** The last part of the page's path, once it is below this one. */
async function idBelow(path: string): Promise<string> {
  const isThere = `location.pathname.startsWith("/console${path}/") && !location.pathname.endsWith("/new")`;
  await shown.untilTrue(isThere);
  return decodeURIComponent(
    String(await shown.page.evaluate("location.pathname"))
      .split("/")
      .at(-1) ?? "",
  );
}

/** Clicks a button that asks first, and confirms it. */
async function confirm(label: string): Promise<void> {
  await shown.click(label);
  await shown.untilTrue("document.querySelector('dialog[open] .main') !== null");
  await shown.page.evaluate("document.querySelector('dialog[open] .main').click()");
}

const statusOf = async (path: string): Promise<number> =>
  (await fetch(`${world.deployment.controlUrl()}${path}`)).status;

test("a source is made, the program on its page sends a call by a real SDK, and the call is seen", async () => {
  const { click, looks, open, page, type, untilText } = shown;
  await open("/sources");
  await click("Make a source", "A new source");
  expect(await looks("a new source")).toEqual([]);
  await type("Name", "Web shop");
  await click("Make it");
  const id = await idBelow("/sources");
  await untilText("Web shop");
  const writeKeys = async () =>
    (await world.api<{ writeKeys: readonly string[] }>(`/v1/sources/${id}`)).writeKeys;
  const place = new URLSearchParams({ library: SDK, ingest: world.deployment.ingestUrl() });
  await open(`/sources/${id}?${place}`, "closeAndFlush");
  const [former = ""] = await writeKeys();
  expect(await page.evaluate("document.documentElement.outerHTML")).not.toContain(former);
  await click("Show write key", former);
  await click("Hide write key");
  await click("Show the key in the program");
  const program = String(
    await page.evaluate(`document.querySelector('[aria-label="A call with ${SDK}"]').innerText`),
  );
  await open(`/sources/${id}/live`, "listening");
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
    cwd: ROOT,
    env: environment,
  });
  await untilText("Order Completed");

  await open(`/sources/${id}`);
  await click("Show the key in the program");
  await click("Add a write key", "End the former write key");
  const [, added = ""] = await writeKeys();
  await shown.untilTrue(
    `document.querySelector('[aria-label="A call with curl"]').innerText.includes(${JSON.stringify(added)})`,
  );
  await confirm("End the former write key");
  await untilText("End the former one, once no program sends with it.");
  expect(await writeKeys()).toEqual([added]);
  expect((await world.deployment.send(former, "track", { userId: "u", event: "Late" })).status).not.toBe(200);

  await confirm("Switch it off");
  await untilText("Switch it on");
  await confirm("Delete it");
  await shown.untilTrue('location.pathname === "/console/sources"');
  expect(await statusOf(`/v1/sources/${id}`)).toBe(404);
});

/** What the events of the listed calls are, each once; – of those without one. */
const LISTED = `[...new Set([...document.querySelectorAll('td[data-title="Event"]')].map((one) => one.innerText))]`;

/** From a count on the destination's page to the calls that it counts, and to one of them. */
async function isPassedOver(id: string): Promise<void> {
  const { click, looks, open, page, text, type, untilText } = shown;
  const counts = async () =>
    (await world.api<{ total: { calls: { passedOver: object } } }>(`/v1/destinations/${id}/stats`)).total;
  const areCounted = async () => {
    const { passedOver } = (await counts()).calls;
    return "event_off" in passedOver && "call_type_off" in passedOver;
  };
  await until(areCounted, {
    timeoutMs: TIMEOUT_MS,
    what: "the calls that are not meant for it to be counted",
  });
  await open(`/destinations/${id}`);
  await click("event off", "Not For It");
  expect(await page.evaluate("location.search")).toBe("?became=event_off");
  expect(await page.evaluate(LISTED)).toEqual(["Not For It"]);
  await type("What became of it here", "passed_over");
  await shown.untilTrue(`${LISTED}.length === 2`);
  await type("What became of it here", "event_off");
  await shown.untilTrue(`${LISTED}.length === 1`);
  expect(await looks("calls of a destination")).toEqual([]);
  await page.evaluate(`document.querySelector("td a[href*='/calls/']").click()`);
  await untilText("It does not get this call: event off.");
  await open(`/destinations/${id}?group=eventName`);
  await click("To The New One", "What became of it here");
  await shown.untilTrue(`document.querySelector("td .state")?.innerText === "sent"`);
  expect(await text()).not.toContain("Not For It");
}

test("a destination is made with its options by form, gets the calls that it is meant to get, and is deleted", async () => {
  const { click, looks, open, page, text, type, untilText } = shown;
  await open(`/destinations?sourceId=${world.source.id}`);
  await click("Make a destination", "A new destination");
  expect(await page.evaluate(`document.querySelector("input[value='${world.source.id}']").checked`)).toBe(
    true,
  );
  expect(await looks("a new destination")).toEqual([]);
  await untilText("It needs a name.");
  await type("Name", "Made here");
  await untilText("Each webhook needs a URL.");
  await type("URL", world.receiver.url("/away"));
  await click("Add a webhook", "Webhook 2");
  await click("Remove webhook 1");
  await type("URL", world.receiver.url("/made"));
  for (const number of [2, 3, 4, 5]) {
    await click("Add a webhook", `Webhook ${number}`);
    await page.evaluate(`document.querySelectorAll("fieldset.card input")[${number - 1}].focus()`);
    await page.keyboard.type(world.receiver.url(`/made-${number}`));
  }
  expect(await text()).not.toContain("Add a webhook");
  await type("Events", "To The New One");
  await type("Call types", "track");
  await type("Requests in flight", "0");
  await click("Make a secret");
  await click("Make it", "This was refused");
  await type("Requests in flight", "3");
  await click("Make it");
  const id = await idBelow("/destinations");
  await untilText("Send what waits now");
  expect(await world.api(`/v1/destinations/${id}`)).toMatchObject({
    ...{ name: "Made here", enabled: true, sourceIds: [world.source.id], sharedSecretSet: true },
    ...{ events: ["To The New One"], callTypes: ["track"], filter: null, maxInFlight: 3, retryDelays: null },
    webhooks: ["", "-2", "-3", "-4", "-5"].map((end) => ({ url: world.receiver.url(`/made${end}`) })),
  });
  const isInForce = async () => {
    await world.send({ userId: "u1", event: "Not For It" });
    await world.deployment.send(world.source.writeKeys[0] ?? "", "identify", { userId: "u1" });
    await world.send({ userId: "u1", event: "To The New One" });
    return world.receiver.requestsTo("/made").length > 0;
  };
  await until(isInForce, { timeoutMs: TIMEOUT_MS, what: "a call at the new destination" });
  const bodies = world.receiver.requestsTo("/made").map((request) => request.text);
  expect(bodies.filter((body) => !body.includes("To The New One"))).toEqual([]);
  await isPassedOver(id);

  await open(`/destinations/${id}/settings`);
  await confirm("Switch it off");
  await untilText("Switch it on");
  await open(`/destinations/${id}`, "It is off: no call is sent to it.");
  await open(`/sources/${world.source.id}`);
  await click("Delete it");
  await untilText("It is not deleted while destinations are connected to it: take it from Failing, ");
  await page.evaluate("document.querySelector('dialog[open] .main').click()");
  await untilText("destinations are connected to it: dst_");

  await open(`/destinations/${id}/settings`);
  await click("Delete it", "Waiting for it:");
  await page.evaluate("document.querySelector('dialog[open] .main').click()");
  await shown.untilTrue('location.pathname === "/console/destinations"');
  expect(await statusOf(`/v1/destinations/${id}`)).toBe(404);
});

test.each([
  { of: "an audience", page: "/audiences", path: "/v1/audiences", id: () => world.audienceId },
  { of: "a computed trait", page: "/traits", path: "/v1/computed-traits", id: () => world.traitId },
])("$of is paused, goes on, and is deleted", async ({ id, page, path }) => {
  await shown.open(`${page}/${id()}`, "Pause or delete it");
  await confirm("Pause it");
  await shown.untilText("Go on");
  await confirm("Go on");
  await shown.untilText("Pause it");
  await confirm("Delete it");
  await shown.untilTrue(`location.pathname === "/console${page}"`);
  expect(await statusOf(`${path}/${id()}`)).toBe(404);
});

test("nothing of it failed, or asked anybody but control", () => {
  expect(shown.faults).toEqual([]);
});
