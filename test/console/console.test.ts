// The console in a real Chromium, against the whole product on real Kafka, with endpoints that really fail and names that want to be markup.
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { requestJson } from "#support/api";
import type { Browser } from "#support/chromium";
import { type ConsolePage, openConsole } from "#support/console";
import { shortest } from "#support/shortest";
import { hmacSha1Hex } from "#support/signature";
import { until } from "#support/until";
import { openShownWorld, type ShownWorld } from "./shown.ts";
import { pagesOf, type World } from "./world.ts";

// The first run downloads the browser.
jest.setTimeout(300_000);

const TIMEOUT_MS = 60_000;
const SEEN_WITHIN_MS = 2_000;
const ATTACK = `<img src=x onerror="window.ran=1"><script>window.ran=1</script>`;
const TURNED = "\u202egnp.exe";
const ANSWER = `no room here ${ATTACK}${TURNED}\u0007`;
const hostile = { userId: `u ${ATTACK}${TURNED}`, event: `E ${ATTACK}${TURNED}`, messageId: `m/1?${ATTACK}` };

let opened: ShownWorld | undefined;
let world: World;
let browser: Browser;
let shown: ConsolePage;
let regulationId = "reg_none";

beforeAll(async () => {
  opened = await openShownWorld({
    names: {
      ...{ source: `Shop ${ATTACK}`, failing: `Failing ${ATTACK}`, refusing: "Refusing", well: "Well" },
      ...{ audience: `Buyers ${ATTACK}`, trait: "Orders" },
    },
    calls: [hostile],
    answer: ANSWER,
  });
  ({ browser, shown, world } = opened);
}, 300_000);

afterAll(() => opened?.close(), 180_000);

test("three clicks lead from the list to the failing endpoint's answer", async () => {
  const { click, open, text } = shown;
  await open("/destinations", "Success");
  await click(`Failing ${ATTACK}`);
  await click("Attempts");
  await click("http 5xx 503", "no room here");
  expect(await text()).toContain("\\u{202e}gnp.exe\\u{7}");
});

test("requests of a destination are found by their status, source and event, which stand in the URL", async () => {
  const { open, page, tabTo, untilText } = shown;
  const path = `/destinations/${world.failing}/attempts`;
  await open(`${path}?status=5xx&sourceId=${world.source.id}`, "http 5xx 503");
  await open(`${path}?sourceId=none`, "No request is recorded");
  await open(`${path}?event=none`, "No request is recorded");
  await open(`${path}?outcome=invalid_response`, "No request is recorded");
  expect(await page.evaluate(`document.querySelector("main select").value`)).toBe("invalid_response");
  await open(path, "http 5xx 503");
  await tabTo("Status");
  await page.keyboard.type("4xx");
  await page.keyboard.press("Enter");
  await untilText("No request is recorded");
  expect(await page.evaluate("location.search")).toBe("?status=4xx");
});

test("an issue is one click away from the overview, with the failing endpoint's answer, and is worked on there", async () => {
  const { click, open, text, untilText } = shown;
  const issue = () => world.api<{ state: string }>(`/v1/issues/${world.issueId}`);
  await open("/", "Open issues");
  await click("http 5xx 503", "no room here");
  expect(await text()).toContain("\\u{202e}gnp.exe\\u{7}");
  await click("Acknowledge", "It is acknowledged.");
  await click("Snooze", "It is snoozed.");
  await untilText("Snoozed until");
  expect(await issue()).toMatchObject({ state: "snoozed" });
  await click("Open again", "It is open.");
  await open(`/destinations/${world.failing}/issues`);
  await click("http 5xx 503");
  await click("Resolve", "It is resolved.");
  expect(await issue()).toMatchObject({ state: "resolved" });
});

test("an issue whose endpoint answers several statuses shows each with its count and its last answer", async () => {
  const { click, looks, open, untilText } = shown;
  const webhooks = [{ url: world.receiver.url("/changing") }];
  world.receiver.script("/changing", { status: 503 }, { status: 500, body: "lost its database" });
  const source = await world.deployment.control.createSource("Changing");
  const destination = { name: "Changing", sourceIds: [source.id], webhooks, enabled: true };
  const { id } = await world.api<{ id: string }>("/v1/destinations", destination);
  const isInForce = async () => {
    const call = { userId: "u-changing", event: "Changing" };
    await world.deployment.send(source.writeKeys[0], "track", call);
    return world.receiver.requestsTo("/changing").length >= 2;
  };
  await until(isInForce, { timeoutMs: TIMEOUT_MS, what: "two requests" });
  const issues = () =>
    world.api<{ data: readonly { id: string; statuses: readonly object[] }[] }>(
      `/v1/issues?destinationId=${id}`,
    );
  const [issue] = await until(
    async () => {
      const { data } = await issues();
      return data[0]?.statuses.length === 2 && data;
    },
    { timeoutMs: TIMEOUT_MS, what: "both statuses" },
  );
  await open(`/issues/${issue?.id}`, "What was answered");
  await click("Show the last 500", "The last request with 500");
  await untilText("lost its database");
  expect(await looks("an issue with several statuses")).toEqual([]);
  await open(`/destinations/${id}/issues`, "500 × ");
  await world.api(`/v1/destinations/${id}/pause`, {});
});

test("what died of an issue is sent again from it", async () => {
  const { click, open, page } = shown;
  const before = world.receiver.requestsTo("/refusing").length;
  await open(`/destinations/${world.refusing}/issues`);
  await click("http 4xx 400", "died of it");
  await click("Send what died of it again", "meant.");
  await page.evaluate(`document.querySelector("dialog[open] button.main").click()`);
  await click("how far it is", "finished");
  await world.receiver.untilReceived("/refusing", before + 1, TIMEOUT_MS);
});

test("the overview draws what goes from sources to destinations, with what is stuck, and as a table", async () => {
  const { click, looks, open, page, text, untilText } = shown;
  const isCounted = async () =>
    (await world.api<{ flows: readonly { sent: number }[] }>("/v1/flow?minutes=15")).flows.some(
      ({ sent }) => sent > 0,
    );
  await until(isCounted, { timeoutMs: TIMEOUT_MS, what: "the calls to be counted" });
  await open("/");
  await shown.untilTrue('document.querySelectorAll(".flow path").length >= 3');
  await untilText("/min");
  expect(await text()).toContain("Shop <img src=x");
  await click("The same as a table");
  const rows = '[...document.querySelectorAll("details tbody tr")].map((one) => one.innerText).join()';
  expect(await page.evaluate(rows)).toContain("Failing <img src=x");
  expect(await looks("the flow")).toEqual([]);
  expect(await page.evaluate("window.ran")).toBeUndefined();
  await page.evaluate(`document.querySelector('.flow a[href$="/destinations/${world.failing}"]').click()`);
  await untilText("Send what waits now");
});

test("a call is seen in the live debugger within two seconds, and a refused one with its reason", async () => {
  const { click, open, page, type, untilText, text } = shown;
  await open(`/sources/${world.source.id}/live`, "listening");
  const seenAfterMs = async (turn: number): Promise<number> => {
    const event = `Seen Live ${turn}`;
    expect((await world.send({ userId: "u-live", event, messageId: `seen-${turn}` })).status).toBe(200);
    return await untilText(event);
  };
  expect(await shortest(seenAfterMs)).toBeLessThan(SEEN_WITHIN_MS);
  await world.deployment.send(world.source.writeKeys[0] ?? "", "track", { event: "No User" });
  await untilText("no_user_anon_id");

  await click("Pause", "paused");
  await type("What", "refused");
  await shown.untilTrue('!document.body.innerText.includes("Seen Live")');
  expect(await page.evaluate("location.search")).toBe("?kind=refused");
  await page.evaluate(`[...document.querySelectorAll(".live button")][0].click()`);
  await untilText('"code": "no_user_anon_id"');
  expect(await text()).not.toContain("Seen Live");
  await open(`/sources/${world.source.id}/live`, "listening");
  await click("Pause", "paused");
  await world.send({ userId: "u-live", event: "Came While Paused", messageId: "live-3" });
  const delivered = () =>
    world.receiver.requestsTo("/well").some(({ text: body }) => body.includes("live-3"));
  await until(async () => delivered(), { timeoutMs: TIMEOUT_MS, what: "the call to be delivered" });
  await click("Go on", "live-3");
  expect(await text()).not.toContain("Seen Live");
});

test("one call has a timeline at every destination, and its waiting attempt is sent when somebody asks", async () => {
  const { click, open, page, untilText } = shown;
  await open(`/calls/${encodeURIComponent(hostile.messageId)}?sourceId=${world.source.id}`);
  for (const text of ["Refusing", "Well", "delivered", "dead", "waiting", "attempt 1", "next attempt"])
    await untilText(text);
  await open(`/destinations/${world.failing}/waiting`, "Send now");
  const rows = Number(await page.evaluate(`document.querySelectorAll("tbody tr").length`));
  // Not before: a success of another call wakes this one.
  world.receiver.script("/failing", { status: 200 });
  await click("Send now");
  // It is said in the row, which goes with the call.
  await shown.untilTrue(
    `document.body.innerText.includes("It is being sent.") || document.querySelectorAll("tbody tr").length < ${rows}`,
  );
  await world.receiver.untilReceived("/failing", 2, TIMEOUT_MS);
});

test("one call shows its body and the headers that it is sent with, and gives its request as curl", async () => {
  const { click, looks, open, page, text, untilText } = shown;
  await open(`/calls/${encodeURIComponent(hostile.messageId)}?sourceId=${world.source.id}`);
  await click("Body and headers", "What is sent");
  await untilText("User-Agent: Hookline/1.0");
  expect(await text()).toMatch(/As (?:sent|it would be sent now)/);
  expect(await text()).toMatch(/"userId":"u <img src=x onerror=.*\\u\{202e\}gnp\.exe/);
  expect(await text()).toContain("x-note: ********");
  await page.evaluate(
    `navigator.clipboard.writeText = (given) => { window.copied = given; return Promise.resolve(); }`,
  );
  await page.evaluate(`document.querySelector('[aria-label$="as curl"]').click()`);
  const copied = () => page.evaluate("window.copied");
  await until(async () => String(await copied()).includes(`-H 'x-note: '"\${HEADER_1_X_NOTE:?`), {
    timeoutMs: TIMEOUT_MS,
    what: "the command",
  });
  expect(await copied()).not.toContain("a header</b>");
  expect(await looks("what was sent")).toEqual([]);
});

test("a dead letter is sent again once its endpoint is mended, and the replay says how far it is", async () => {
  const { click, open, page } = shown;
  world.receiver.script("/refusing", { status: 200 });
  const before = world.receiver.requestsTo("/refusing").length;
  await open(`/destinations/${world.refusing}/dead-letters`);
  // Its reason is a choice of the filter, too.
  const box = `document.querySelector("tbody input[type=checkbox]")`;
  await shown.untilTrue(`${box} !== null`);
  await page.evaluate(`${box}.click()`);
  await click("Send the 1 chosen again", "1 call is meant.");
  await page.evaluate(`document.querySelector("dialog[open] button.main").click()`);
  await click("how far it is", "finished");
  await world.receiver.untilReceived("/refusing", before + 1, TIMEOUT_MS);
});

test("what a destination has missed is counted, and sent to it", async () => {
  const { click, looks, open, page, type, untilText } = shown;
  const options = {
    name: "Late",
    sourceIds: [world.source.id],
    webhooks: [{ url: world.receiver.url("/late") }],
  };
  const { id } = await world.api<{ id: string }>("/v1/destinations", { ...options, enabled: true });
  await open(`/destinations/${id}/again`, "Accepted in the last");
  await untilText("Shop <img src=x onerror=");
  expect(await looks("sending calls again")).toEqual([]);
  await type("Of", world.source.id);
  await click("Send them", "meant.");
  await page.evaluate(`document.querySelector("dialog[open] button.main").click()`);
  await click("how far it is", "finished");
  await world.receiver.untilReceived("/late", 1, TIMEOUT_MS);
});

test("a test call shows what each webhook answers", async () => {
  world.receiver.script("/refusing", { status: 418, body: ANSWER });
  const { click, open, untilText } = shown;
  await open(`/destinations/${world.refusing}/test`);
  await click("Send the test call", "http 4xx 418");
  await untilText("no room here");
});

test("what is clicked while the browser is offline fails at once, and is not done later", async () => {
  const { click, open, page, untilText } = shown;
  const before = world.receiver.requestsTo("/refusing").length;
  await open(`/destinations/${world.refusing}/test`, "Send the test call");
  await page.setOfflineMode(true);
  await click("Send the test call");
  await untilText("control does not answer").finally(() => page.setOfflineMode(false));
  await click("Send the test call", "http 4xx");
  expect(world.receiver.requestsTo("/refusing").length).toBe(before + 1);
});

test("a section whose files cannot be loaded says so, and covers no other", async () => {
  const { click, open, page, untilText } = shown;
  await page.setCacheEnabled(false);
  await open("/sources", "Make a source");
  await page.setOfflineMode(true);
  await click("Audit");
  await untilText("Reload the page").finally(() => page.setOfflineMode(false));
  await click("Sources", "Make a source");
  await click("Audit");
  await click("Reload the page");
  await shown.untilTrue('document.querySelector("h1")?.innerText === "Audit"');
  await page.setCacheEnabled(true);
});

test("a member of an audience is listed, with why, and counted in its size over time", async () => {
  const { click, open, text, untilText } = shown;
  const audience = () => world.api<{ members: number }>(`/v1/audiences/${world.audienceId}`);
  await until(async () => (await audience()).members === 1, { timeoutMs: TIMEOUT_MS, what: "the member" });
  await open(`/audiences/${world.audienceId}`, "1 member");
  await click("Why", "is a member, since");
  await untilText("The numbers of each day");
  await until(async () => /Entered\s+1\s+Left\s+0/.test(await text()), {
    timeoutMs: TIMEOUT_MS,
    what: "its size",
  });
});

test("by keyboard alone: from the list to the failing endpoint's answer, and out of a question again", async () => {
  const { open, page, tabTo, untilFocused, untilText } = shown;
  const press = (key: string) => page.keyboard.press(key);
  await open("/");
  await press("Tab");
  await untilFocused('one.innerText === "To the content"');
  await tabTo("Destinations");
  await press("Enter");
  await untilFocused('one.id === "content"');
  await untilText("Success");
  await tabTo(`Failing ${ATTACK}`);
  await press("ArrowDown");
  await press("ArrowUp");
  await press("Enter");
  await untilFocused('one.id === "content"');
  await untilText("Send what waits now");
  await tabTo("Pause");
  await press("Enter");
  await untilText("Calls wait, new ones too");
  await untilFocused('one.closest("dialog") !== null');
  await press("Escape");
  await untilFocused('one.innerText === "Pause"');
  await tabTo("Attempts");
  await press("Enter");
  await untilFocused('one.id === "content"');
  await untilText("Outcome");
  await tabTo("http 5xx 503");
  await press("Enter");
  await untilText("no room here");
});

/** Holds back what the page sends with this method, as a slow Kafka does, until its `goOn()`. */
const holdBack = (method: string) =>
  shown.page.evaluate(`{
    const send = fetch;
    const held = new Promise((resolve) => { window.goOn = resolve; });
    window.fetch = async (asked, ...more) => {
      if (asked.method === ${JSON.stringify(method)}) await held;
      return send(asked, ...more);
    };
  }`);

test("options of a destination are changed, refused beside their field, and not over somebody else's change", async () => {
  const { click, open, page, text, type, untilText } = shown;
  const option = async () =>
    await world.api<{ name: string; maxInFlight: number; events: string[] | null }>(
      `/v1/destinations/${world.refusing}`,
    );
  await open(`/destinations/${world.refusing}/edit`, "Requests in flight");
  await type("Requests in flight", "0");
  await click("Save", "This was refused");
  expect(await text()).toMatch(/maxInFlight.*1/);
  await type("Requests in flight", "7");
  await click("JSON");
  await type("Filter as JSON", "{");
  await untilText("is no JSON");
  await type("Filter as JSON", "");
  await click("Form");
  await type("Events", "Order\nRefund");
  await click("Save", "Saved: in force");
  expect(await option()).toMatchObject({ name: "Refusing", maxInFlight: 7, events: ["Order", "Refund"] });

  await untilText("Requests in flight");
  await requestJson(`${world.deployment.controlUrl()}/v1/destinations/${world.refusing}`, {
    method: "PATCH",
    body: { name: "Renamed" },
  });
  await type("Requests in flight", "9");
  await click("Save");
  await click("Take what is there now, and begin again");
  const isShown = '[...document.querySelectorAll(".edit input")].some(({ value }) => value === "Renamed")';
  await shown.untilTrue(isShown);
  await type("Requests in flight", "9");
  await click("Save", "Saved: in force");
  expect(await option()).toMatchObject({ name: "Renamed", maxInFlight: 9 });

  await type("Requests in flight", "8");
  await untilText("Changed: maxInFlight");
  for (const [label, done] of [
    ["Pause", "It is paused."],
    ["Resume", "It is resumed"],
  ] as const) {
    await click(label);
    await page.evaluate(`document.querySelector("dialog[open] button.main").click()`);
    await untilText(done);
  }
  await untilText("Changed: maxInFlight");
  await click("Save", "Saved: in force");
  expect(await option()).toMatchObject({ maxInFlight: 8 });

  await holdBack("PATCH");
  await type("Requests in flight", "6");
  await click("Save", "Saving …");
  await page.evaluate(`document.querySelector("form.edit input").focus()`);
  await page.keyboard.type("Lost");
  expect(await page.evaluate(`document.querySelector("form.edit input").value`)).toBe("Renamed");
  await page.evaluate("goOn()");
  await untilText("Saved: in force");
});

test("a secret is rotated step by step, and signs the next call", async () => {
  const { click, open, page, untilText } = shown;
  await open(`/destinations/${world.refusing}/secret`, "not set: calls are not signed");
  await click("Make one", "Copy it now");
  const secret = String(await page.evaluate(`document.querySelector(".steps input").value`));
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  await click("Sign with it from now on");
  await page.evaluate(`document.querySelector("dialog[open] button.main").click()`);
  await untilText("It is in force within a second.");
  await untilText("Rotate it");
  expect(await page.evaluate("document.body.innerText")).not.toContain(secret);
  world.receiver.script("/refusing", { status: 200 });
  const before = world.receiver.requestsTo("/refusing").length;
  await open(`/destinations/${world.refusing}/test`);
  await click("Send the test call", "delivered");
  const request = world.receiver.requestsTo("/refusing").at(before);
  expect(request?.headers["x-signature"]).toBe(hmacSha1Hex(secret, request?.rawBody ?? Buffer.alloc(0)));
});

test("statistics of all, a source and a destination add up, and are shown for the span that is chosen", async () => {
  const { click, open, page, text, untilText } = shown;
  const accepted = async (path: string) =>
    (await world.api<{ total: { accepted: number } }>(`/v1${path}stats?step=hour`)).total.accepted;
  await until(async () => (await accepted("/")) >= 2, {
    timeoutMs: TIMEOUT_MS,
    what: "the calls to be counted",
  });
  for (const path of ["/", `/sources/${world.source.id}/statistics`]) {
    await open(path);
    await click("the last day", "Accepted calls by hour");
    expect(await page.evaluate("location.search")).toBe("?span=day");
    const of = path === "/" ? "/" : `/sources/${world.source.id}/`;
    expect(await text()).toMatch(new RegExp(`Accepted\\s+${await accepted(of)}\\b`));
    await shown.untilTrue('document.querySelectorAll("figure canvas").length === 3');
  }
  await open("/?span=day&step=minute&group=eventType", "Accepted calls by minute");
  await untilText("By type of call, the last day");
  await open(`/destinations/${world.failing}?span=month&group=status`, "By status, the last thirty days");
  await click("webhook", "By webhook, the last thirty days");
  expect(await page.evaluate("location.search")).toBe("?span=month&group=webhook");
  await open(`/destinations/${world.failing}?span=week`, "Calls by hour of their acceptance");
  expect(await text()).toMatch(/Sent to destinations\s+[1-9]/);
});

test("a user's page has what is known of them, with ways to why and to their calls", async () => {
  const { click, open, page, text, type, untilText } = shown;
  await open("/profiles");
  await type("Id", hostile.userId);
  await click("Show who this is", "Last calls");
  for (const known of ["Buyers", "member", "Orders", "Counts all"]) await untilText(known);
  expect(await text()).toContain("\\u{202e}gnp.exe");
  await click("Why", "is a member, since");
  await open(`/profiles/${encodeURIComponent(hostile.userId)}`, "Last calls");
  await page.evaluate(`document.querySelector('td a[href*="/calls/"]').click()`);
  await untilText("Received");
  expect(await page.evaluate("location.pathname")).toContain("/calls/");
  await open(`/profiles/${encodeURIComponent("a%2Fb/c")}`, "User a%2Fb/c");
  await open("/profiles/nobody", "There is none");
});

test("a suppression is begun by its dialog, ends, and stands in the audit with who asked for it", async () => {
  const { click, open, page, text, type, untilText } = shown;
  await open("/deletions");
  await type("What is to be done", "SUPPRESS_ONLY");
  await type("User ids", `gone 1\ngone 2\ngone 1\n`);
  await click("Begin it", "suppress: 2 users, in the whole workspace.");
  await untilText("0 of 2 users are known to audiences and computed traits");
  await holdBack("POST");
  await page.evaluate(`document.querySelector("dialog[open] button.main").click()`);
  await untilText("Begin it …");
  await type("User ids", "for the next one");
  await page.evaluate("goOn()");
  await untilText("how far it is");
  expect(await page.evaluate(`document.querySelector("main textarea").value`)).toBe("for the next one");
  await click("how far it is");
  await untilText("finished", TIMEOUT_MS);
  regulationId = String(await page.evaluate("location.pathname.split('/').at(-1)"));
  expect(await text()).not.toContain("gone 1");

  await open("/audit?resource=regulation", regulationId);
  expect(await text()).not.toContain(`${world.source.id}`);
  await type("Of", "source");
  await untilText(world.source.id);
  expect(await page.evaluate("location.search")).toBe("?resource=source");
  await click("created");
  await untilText('"name"');
  expect(await page.evaluate("window.ran")).toBeUndefined();
});

const ADMIN = "admin:read+write:token-of-an-admin";
const READER = "reader:read:token-of-a-reader";

/** Of one more control, which has tokens. */
async function guardedUrl(...tokens: readonly string[]): Promise<string> {
  const { ports } = await world.deployment.addProcess("control", {
    HOOKLINE_API_TOKENS: tokens.join(),
    HOOKLINE_CONTROL_HOST: "127.0.0.1",
    HOOKLINE_CONTROL_PORT: "0",
  });
  return `http://127.0.0.1:${ports["controlPort"]}`;
}

async function signIn({ click, type, untilText }: ConsolePage, token: string): Promise<void> {
  await untilText("Token of the control API");
  await type("Token", token);
  await click("Sign in");
}

test("the settings say who is signed in, who may use the API, and what is kept and recorded", async () => {
  const guarded = await openConsole(browser, await guardedUrl(ADMIN, READER));
  const { looks, open, page, text, untilText } = guarded;
  await open("/settings");
  await signIn(guarded, "token-of-an-admin");
  await untilText("What can be looked up here");
  await untilText("reader");
  for (const said of ["admin", "read, write", "14d", "Requests"]) expect(await text()).toContain(said);
  expect(await page.evaluate("document.documentElement.outerHTML")).not.toContain("token-of-a");
  expect(await looks("settings")).toEqual([]);
  await guarded.click("Sign out");
  await untilText("Token of the control API");
  await page.close();
});

test("a tab goes on with the session that another one has begun, as whoever is signed in now", async () => {
  const url = await guardedUrl(ADMIN, READER);
  const [tab, other] = [await openConsole(browser, url), await openConsole(browser, url)];
  const { click, open, page, type, untilText } = tab;
  await open("/sources/new");
  await signIn(tab, "token-of-an-admin");
  await untilText("A new source");
  await page.evaluate(
    `fetch("/v1/session", { method: "POST", headers: { authorization: "Bearer token-of-an-admin" } })`,
  );
  await type("Name", "By a replaced session");
  await click("Make it", "Add a write key");

  await open(`/destinations/${world.failing}/edit`, "Requests in flight");
  await type("Requests in flight", "6");
  await untilText("Changed: maxInFlight");
  await other.open("/sources");
  await other.click("Sign out");
  await untilText("The session has ended.");
  await signIn(other, "token-of-an-admin");
  await untilText("Changed: maxInFlight");
  await click("Save", "Saved: in force");
  await other.click("Sign out");
  await signIn(other, "token-of-a-reader");
  await untilText("To change a destination a token needs the scope write; yours has read.");

  await page.evaluate("window.fetch = async () => { throw new TypeError() }");
  await click("Sign out", "You are still signed in: control does not answer");
  await other.click("Sign out");
  await other.untilText("Token of the control API");
  await Promise.all([page.close(), other.page.close()]);
});

/** Holds the answers to the page back, in the order in which it asked who is signed in; all the others together. */
const HOLD = `(() => {
  const ask = window.fetch;
  window.held = { me: [], lists: [] };
  window.fetch = async (input, init) => {
    const answer = await ask(input, init);
    const { me, lists } = window.held;
    const to = new URL(input.url ?? input, location.href).pathname === "/v1/me" ? me : lists;
    return window.isHolding ? new Promise((resolve) => to.push(() => resolve(answer))) : answer;
  };
})()`;

test("a tab is signed in where another one has signed in last, in whatever order it hears of it", async () => {
  const url = await guardedUrl(ADMIN);
  const [tab, other] = [await openConsole(browser, url), await openConsole(browser, url)];
  await tab.page.evaluateOnNewDocument(HOLD);
  await tab.open("/audiences");
  await signIn(tab, "token-of-an-admin");
  await other.open("/audiences", "Sign out");
  const [signedOut, list, signedIn] = ["me[0]()", "lists.forEach((go) => go())", "me[1]()"];
  for (const order of [
    [signedOut, list, signedIn],
    [signedOut, signedIn, list],
    [list, signedOut, signedIn],
    [list, signedIn, signedOut],
    [signedIn, signedOut, list],
    [signedIn, list, signedOut],
  ]) {
    await tab.click("Audiences", "Buyers");
    await tab.page.evaluate("isHolding = true");
    await other.click("Sign out");
    await tab.untilTrue("held.me.length === 1");
    await tab.click("Sources");
    await tab.untilTrue("held.lists.length > 0");
    await signIn(other, "token-of-an-admin");
    await tab.untilTrue("held.me.length === 2");
    await tab.page.evaluate("isHolding = false");
    for (const answer of order)
      await tab.page.evaluate(`held.${answer}, new Promise((resolve) => setTimeout(resolve, 50))`);
    await tab.untilTrue(`document.querySelector("main#content").innerText.includes("Shop")`);
    await tab.page.evaluate("held = { me: [], lists: [] }");
  }
  await Promise.all([tab.page.close(), other.page.close()]);
});

describe("every page", () => {
  const paths = (): readonly string[] => [
    ...pagesOf(world, { ...hostile, regulationId }).map(([, path]) => path),
    "/profiles/anon%3Anobody",
    "/destinations?search=none",
    ...["", "/live", "/calls"].map((part) => `/sources/spa_default${part}`),
    "/destinations/dst_none",
    "/nowhere",
  ];

  test("has no finding of axe-core in both themes and on a phone, and is not wider than its window", async () => {
    const { looks, open } = shown;
    const found: string[] = [];
    for (const path of paths()) {
      await open(path);
      await shown.untilTrue('!document.querySelector("main .loading")');
      found.push(...(await looks(path)));
    }
    expect(found).toEqual([]);
  });

  test("runs nothing of what strangers wrote, and asks nobody but control", async () => {
    expect(await shown.page.evaluate("window.ran")).toBeUndefined();
    expect(shown.faults).toEqual([]);
  });
});

test("the overview names a replay that runs, behind any number that have ended", async () => {
  const { open } = shown;
  const begin = (more: object) =>
    world.api<{ replayId: string }>("/v1/replays", { destinationId: world.refusing, which: "all", ...more });
  for (let begun = 0; begun < 50; begun += 1) await begin({ messageId: "none" });
  for (const messageId of ["slow-1", "slow-2"]) await world.send({ ...hostile, messageId });
  await world.receiver.untilReceived("/refusing", 3, TIMEOUT_MS);
  const { replayId } = await begin({ callsPerSecond: 0.1 });
  await open("/", `${replayId}: `);
  await requestJson(`${world.deployment.controlUrl()}/v1/replays/${replayId}`, { method: "DELETE" });
});

test("what a deletion loses is said in the names that strangers wrote, and runs nothing of them", async () => {
  const { click, open, page } = shown;
  await open(`/sources/${world.source.id}`);
  await click("Delete it", "take it from Failing <img src=x onerror=");
  await open("/destinations/new", "Shop <img src=x onerror=");
  await open(`/destinations/${world.failing}/settings`, "Shop <img src=x onerror=");
  await click("Delete it", "Waiting for it:");
  expect(await page.evaluate("window.ran")).toBeUndefined();
});

test("with tokens it asks for one, keeps it out of every storage, and says what it does not allow", async () => {
  const guarded = await openConsole(browser, await guardedUrl(READER));
  const { click, findings, open, page, type, untilText } = guarded;
  await open(`/destinations/${world.failing}`, "Token of the control API");
  expect(await findings()).toEqual([]);
  await type("Token", "wrong");
  await click("Sign in", "not one of the configured ones");
  await type("Token", "token-of-a-read…");
  await click("Sign in", "a character that no token has");
  await type("Token", "token-of-a-reader");
  await click("Sign in", "Send what waits now");
  await click("Send what waits now");
  await page.evaluate(`document.querySelector("dialog[open] button.main").click()`);
  await untilText("Your token does not allow this");
  await open("/deletions", "a token needs the scope write; yours has read.");
  await open(`/destinations/${world.failing}/edit`);
  await untilText("To change a destination a token needs the scope write; yours has read.");
  await open(`/sources/${world.source.id}`);
  await untilText("To see whole write keys, and a first call with one, a token needs the scope write");
  const [writeKey = ""] = world.source.writeKeys;
  await untilText(`${writeKey.slice(0, 4)}********`);
  expect(await page.evaluate("document.documentElement.outerHTML")).not.toContain(writeKey);
  const kept = "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])";
  expect(await page.evaluate(kept)).not.toContain("token-of-a-reader");
  await open("/settings", "To see who may use the API a token needs the scope write; yours has read.");
  await untilText("by a session of this browser");
  await open("/destinations", "Sign out");
  await click("Sign out", "Token of the control API");
  await open("/destinations", "Token of the control API");
  expect(guarded.faults).toEqual([]);
  await page.close();
});
