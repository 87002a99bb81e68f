// Live calls, refused calls and lists in a real Chromium, while the tab is seen and while it is not.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { Browser } from "#support/chromium";
import { type ConsolePage, openConsole } from "#support/console";
import { scratchFolder } from "#support/scratch-folder";
import { until } from "#support/until";
import { openShownWorld, type ShownWorld } from "./shown.ts";
import type { World } from "./world.ts";

// The first run downloads the browser.
jest.setTimeout(300_000);

const TIMEOUT_MS = 60_000;
const ATTACK = `<img src=x onerror="window.ran=1">\u202egnp.exe`;

/** In the page a minute, after which a hidden tab pauses, and five seconds, after which lists are read again, are moments. */
const HASTE = `for (const name of ["setTimeout", "setInterval"]) {
  const given = window[name].bind(window);
  window[name] = (work, ms, ...more) => given(work, { 60000: 300, 5000: 50 }[ms] ?? ms, ...more);
}`;

let opened: ShownWorld | undefined;
let world: World;
let browser: Browser;
let shown: ConsolePage;

beforeAll(async () => {
  opened = await openShownWorld({
    calls: [{ userId: "ann", event: "Order Completed", messageId: "m-1" }],
  });
  ({ browser, shown, world } = opened);
  await shown.page.evaluateOnNewDocument(HASTE);
}, 300_000);

afterAll(() => opened?.close(), 180_000);

/** As the browser says it of a tab behind another one. */
async function setHidden(isHidden: boolean): Promise<void> {
  await shown.page.evaluate(`{
    Object.defineProperty(document, "hidden", { configurable: true, value: ${isHidden} });
    Object.defineProperty(document, "visibilityState", { configurable: true, value: "${isHidden ? "hidden" : "visible"}" });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  }`);
}

const OPEN_QUESTION = `document.querySelector("dialog[open]") !== null`;
const count = async (script: string): Promise<number> => Number(await shown.page.evaluate(script));
const refusedPath = () => `/v1/sources/${world.source.id}/refused-calls`;

interface Refused {
  readonly data: readonly { readonly userIds: readonly string[] | null }[];
}

/** Resolves when control lists what was refused of this user. */
async function refuse(userId: string): Promise<void> {
  const call = { userId, properties: { note: ATTACK } };
  const [writeKey = ""] = world.source.writeKeys;
  expect((await world.deployment.send(writeKey, "track", { ...call, writeKey })).status).toBe(400);
  const isListed = async () =>
    (await world.api<Refused>(refusedPath())).data.some(({ userIds }) => userIds?.includes(userId));
  await until(isListed, { timeoutMs: TIMEOUT_MS, what: "the refused call" });
}

test("a hidden tab lets go of its live calls after a minute, and has what came meanwhile once it is seen", async () => {
  const { open, text, untilText } = shown;
  await open(`/sources/${world.source.id}/live`, "listening");
  await setHidden(true);
  await untilText("paused");
  await world.send({ userId: "u-hidden", event: "Came While Hidden", messageId: "hidden-1" });
  const isDelivered = () =>
    world.receiver.requestsTo("/well").some(({ text: body }) => body.includes("hidden-1"));
  await until(async () => isDelivered(), { timeoutMs: TIMEOUT_MS, what: "the call to be delivered" });
  expect(await text()).not.toContain("Came While Hidden");
  await setHidden(false);
  await untilText("Came While Hidden");
  expect((await text()).split("Came While Hidden")).toHaveLength(2);
});

test("a hidden tab reads no list again; once it is seen it has what came meanwhile", async () => {
  const { open, text, untilText } = shown;
  await refuse("guest-one");
  await open(`/sources/${world.source.id}/refused`, "guest-one");
  const asked = `performance.getEntriesByType("resource").filter(({ name }) => name.includes("refused-calls")).length`;
  await shown.untilTrue(`${asked} > 3`);
  await setHidden(true);
  const before = await count(asked);
  await refuse("guest-two");
  // Time in which a tab that is seen would ask many times.
  for (let more = 0; more < 10; more += 1) await refuse(`guest-two-${more}`);
  // One may have been under way.
  expect(await count(asked)).toBeLessThanOrEqual(before + 1);
  expect(await text()).not.toContain("guest-two");
  await setHidden(false);
  await untilText("guest-two");
});

test("a refused call is shown with what was sent, in the list and live, and nothing of it runs", async () => {
  const { click, looks, open, page, text, untilText } = shown;
  await open(`/sources/${world.source.id}/refused?userId=guest-one`);
  await click("event not defined");
  await untilText('"writeKey":"********"');
  expect(await text()).toContain("\\u{202e}gnp.exe");
  expect(await looks("refused calls")).toEqual([]);

  await open(`/sources/${world.source.id}/live?kind=refused`, "listening");
  await refuse("guest-three");
  await untilText("event_not_defined");
  await click("Body");
  await untilText('"userId":"guest-three"');
  expect(await text()).not.toContain(world.source.writeKeys[0]);
  expect(await page.evaluate("window.ran")).toBeUndefined();
  expect(shown.faults).toEqual([]);
});

test("the list of sources has their rates; from a source's statistics a reason and an event lead to their calls", async () => {
  const { click, open, page } = shown;
  await refuse("guest-four");
  await open("/sources");
  await shown.untilTrue(`/%/.test(document.querySelector('td[data-title="Refused"]')?.innerText)`);
  await open(`/sources/${world.source.id}/statistics?group=eventName`);
  await click("event not defined", "guest-four");
  expect(await page.evaluate("location.search")).toBe("?code=event_not_defined");
  await open(`/sources/${world.source.id}/statistics?group=eventName`);
  await click("Order Completed");
  await click("m-1", "Received");
  expect(await page.evaluate("location.pathname")).toContain("/calls/m-1");
});

test("a session ends with its token, which is said, and what was typed comes back to the same person alone", async () => {
  const folder = scratchFolder();
  const file = join(folder, "tokens");
  const [first, second] = ["first:read+write:token-of-the-first", "second:read+write:token-of-the-second"];
  writeFileSync(file, first);
  const { ports } = await world.deployment.addProcess("control", {
    HOOKLINE_API_TOKENS_FILE: file,
    HOOKLINE_CONTROL_HOST: "127.0.0.1",
    HOOKLINE_CONTROL_PORT: "0",
  });
  const guarded = await openConsole(browser, `http://127.0.0.1:${ports["controlPort"]}`);
  const { click, looks, open, page, type, untilText } = guarded;
  /** Of the token or, without one, of the session. */
  const untilStatus = (wanted: number, token?: string) =>
    guarded.untilTrue(`fetch("/v1/me", { headers: ${JSON.stringify(token === undefined ? {} : { authorization: `Bearer ${token}` })} })
        .then(({ status }) => status === ${wanted})`);
  const signIn = async (token: string, seen = "A new source"): Promise<void> => {
    await untilStatus(200, token);
    await type("Token", token);
    await click("Sign in", seen);
  };
  const untilEnded = async (): Promise<void> => {
    writeFileSync(file, second);
    await untilStatus(401);
    await click("Make it", "The session has ended.");
  };
  const named = `document.querySelector("main#content input").value`;
  await open("/sources/new", "Token of the control API");
  expect(await page.evaluate("document.body.innerText")).not.toContain("The session has ended.");
  await signIn("token-of-the-first");
  await type("Name", "Shop of the first");
  await untilEnded();
  expect(await looks("the end of a session")).toEqual([]);
  writeFileSync(file, `${first},${second}`);
  await signIn("token-of-the-first");
  expect(await page.evaluate(named)).toBe("Shop of the first");
  await click("Make it", "Write keys");
  await open("/sources/new");
  await type("Name", "For nobody else");
  await untilEnded();
  await signIn("token-of-the-second");
  expect(await page.evaluate(named)).toBe("");
  // A question that stayed open would let nobody sign in.
  await open(`/destinations/${world.refusing}`);
  await click("Pause");
  await guarded.untilTrue(OPEN_QUESTION);
  writeFileSync(file, first);
  await untilText("The session has ended.");
  expect(await page.evaluate(OPEN_QUESTION)).toBe(false);
  writeFileSync(file, `${first},${second}`);
  await signIn("token-of-the-second", "Send what waits now");
  expect(await page.evaluate(OPEN_QUESTION)).toBe(false);
  expect(guarded.faults).toEqual([]);
  await page.close();
});

test("one call is sent to another destination", async () => {
  const { click, looks, open, page, type, untilText } = shown;
  const webhooks = [{ url: world.receiver.url("/elsewhere") }];
  const elsewhere = { name: "Elsewhere", sourceIds: [], webhooks, enabled: true };
  const { id } = await world.api<{ id: string }>("/v1/destinations", elsewhere);
  await open(`/calls/m-1?sourceId=${world.source.id}`);
  await click("Send it elsewhere");
  await shown.untilTrue(`document.querySelector('option[value="${id}"]') !== null`);
  expect(await looks("sending elsewhere")).toEqual([]);
  await type("To the destination", id);
  await click("Send it there");
  await page.evaluate(`document.querySelector("dialog[open] button.main").click()`);
  await untilText("It is being sent");
  await world.receiver.untilReceived("/elsewhere", 1, TIMEOUT_MS);
});

test("a question that is open does what it asked, whatever changes meanwhile", async () => {
  const { click, open, page, untilText } = shown;
  const path = `/v1/destinations/${world.refusing}`;
  await open(`/destinations/${world.refusing}`);
  await click("Pause");
  await shown.untilTrue(OPEN_QUESTION);
  await world.api(`${path}/pause`, {});
  // Behind the question, on the button that opened it.
  await untilText("Resume");
  await page.evaluate(`document.querySelector("dialog[open] .main").click()`);
  await untilText("It is paused.");
  expect(await world.api(path)).not.toMatchObject({ paused: null });
  await world.api(`${path}/resume`, {});
});

test("a dead letter that was sent, or is not listed, is not sent with those that are chosen next", async () => {
  const { click, open, page, tabTo, untilText } = shown;
  interface Letters {
    readonly data: readonly { readonly deadAt: string; readonly messageId: string }[];
  }
  const last = async () => {
    const [newest] = (await world.api<Letters>(`/v1/dead-letters?destinationId=${world.refusing}`)).data;
    return newest?.messageId === "dead-1" && newest.deadAt;
  };
  await world.send({ userId: "u-dead", event: "Died Last", messageId: "dead-1" });
  const deadAt = await until(last, { timeoutMs: TIMEOUT_MS, what: "its dead letter" });
  await open(`/destinations/${world.refusing}/dead-letters`, "dead-1");
  await page.evaluate(`document.querySelectorAll("tbody input").forEach((box) => box.click())`);
  await tabTo("From (ISO 8601)");
  await page.keyboard.type(deadAt);
  await page.keyboard.press("Enter");
  await click("Send the 1 chosen again");
  await page.evaluate(`document.querySelector("dialog[open] .main").click()`);
  await untilText("how far it is");
  await untilText("Send the 0 chosen again");
});
