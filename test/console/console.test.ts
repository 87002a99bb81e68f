// The console in a real Chromium, against the whole product on real Kafka, with endpoints that really fail and names that want to be markup.
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { requestJson } from "#support/api";
import { type Browser, startChromium } from "#support/chromium";
import { builtConsole, type ConsolePage, openConsole } from "#support/console";
import { type Deployment, startDeployment } from "#support/deployment";
import { type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";

// The first run downloads the browser.
jest.setTimeout(300_000);

const DELAY_MS = 1_200_000;
const TIMEOUT_MS = 60_000;
const SEEN_WITHIN_MS = 2_000;
const ATTACK = `<img src=x onerror="window.ran=1"><script>window.ran=1</script>`;
const TURNED = "\u202egnp.exe";
const ANSWER = `no room here ${ATTACK}${TURNED}\u0007`;

let deployment: Deployment;
let receiver: Receiver;
let browser: Browser;
let shown: ConsolePage;
let source: { readonly id: string; readonly writeKeys: readonly string[] };
let failing: string;
let refusing: string;
let audienceId: string;
let traitId: string;
let regulationId = "reg_none";
const hostile = { userId: `u ${ATTACK}${TURNED}`, event: `E ${ATTACK}${TURNED}`, messageId: `m/1?${ATTACK}` };

const api = async <T>(path: string, body?: unknown): Promise<T> => {
  const answer = await requestJson<T>(
    `${deployment.controlUrl()}${path}`,
    body === undefined ? {} : { body },
  );
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};
const send = (call: object) => deployment.send(source.writeKeys[0] ?? "", "track", call);

async function destination(name: string, path: string): Promise<string> {
  const webhooks = [{ url: receiver.url(path), headers: { "x-note": "<b>a header</b>" } }];
  return (await deployment.control.createDestination({ name, sourceIds: [source.id], webhooks })).id;
}

beforeAll(async () => {
  receiver = await startReceiver();
  receiver.script("/failing", { status: 503, body: ANSWER });
  receiver.script("/refusing", { status: 400, body: ANSWER });
  await builtConsole();
  browser = await startChromium();
  deployment = await startDeployment({
    retryDelaysMs: [DELAY_MS],
    settings: { HOOKLINE_RECORDED_ATTEMPTS: "all", HOOKLINE_RECORDED_CALLS: "all" },
  });
  await deployment.addProcess("audience-processor");
  source = await deployment.control.createSource(`Shop ${ATTACK}`);
  failing = await destination(`Failing ${ATTACK}`, "/failing");
  refusing = await destination("Refusing", "/refusing");
  await destination("Well", "/well");
  const definition = { event: hostile.event, within: "1d" };
  audienceId = (await api<{ id: string }>("/v1/audiences", { name: `Buyers ${ATTACK}`, definition })).id;
  const counted = { event: hostile.event, within: "1d", reduce: { fn: "count" } };
  traitId = (await api<{ id: string }>("/v1/computed-traits", { name: "Orders", definition: counted })).id;
  await send(hostile);
  await receiver.untilReceived("/failing", 1, TIMEOUT_MS);
  await until(async () => (await api<{ data: unknown[] }>("/v1/dead-letters")).data.length === 1, {
    timeoutMs: TIMEOUT_MS,
    what: "the dead letter",
  });
  shown = await openConsole(browser, deployment.controlUrl());
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await deployment?.stop();
  await receiver?.close();
}, 60_000);

test("three clicks lead from the list to the failing endpoint's answer", async () => {
  const { click, open, text, untilText } = shown;
  await open("/destinations");
  await untilText("Success");
  await click(`Failing ${ATTACK}`);
  await click("Attempts");
  await click("http 5xx 503");
  await untilText("no room here");
  expect(await text()).toContain("\\u{202e}gnp.exe\\u{7}");
});

test("a call is seen in the live debugger within two seconds, and a refused one with its reason", async () => {
  const { click, open, page, type, untilText, text } = shown;
  await open(`/sources/${source.id}/live`);
  await untilText("listening");
  expect((await send({ userId: "u-live", event: "Seen Live", messageId: "live-1" })).status).toBe(200);
  expect(await untilText("Seen Live", SEEN_WITHIN_MS)).toBeLessThan(SEEN_WITHIN_MS);
  await deployment.send(source.writeKeys[0] ?? "", "track", { event: "No User" });
  await untilText("no_user_anon_id");

  await click("Pause");
  await untilText("paused");
  await type("What", "refused");
  await page.waitForFunction('!document.body.innerText.includes("Seen Live")', { timeout: TIMEOUT_MS });
  expect(await page.evaluate("location.search")).toBe("?kind=refused");
  await page.evaluate(`[...document.querySelectorAll(".live button")][0].click()`);
  await untilText('"code": "no_user_anon_id"');
  expect(await text()).not.toContain("Seen Live");
});

test("one call has a timeline at every destination, and its waiting attempt is sent when somebody asks", async () => {
  const { click, open, untilText } = shown;
  await open(`/calls/${encodeURIComponent(hostile.messageId)}?sourceId=${source.id}`);
  for (const text of ["Refusing", "Well", "delivered", "dead", "waiting", "attempt 1", "next attempt"])
    await untilText(text);
  receiver.script("/failing", { status: 200 });
  await open(`/destinations/${failing}/waiting`);
  await click("Send now");
  await untilText("It is being sent.");
  await receiver.untilReceived("/failing", 2, TIMEOUT_MS);
});

test("a dead letter is sent again once its endpoint is mended, and the replay says how far it is", async () => {
  const { click, open, page, untilText } = shown;
  receiver.script("/refusing", { status: 200 });
  const before = receiver.requestsTo("/refusing").length;
  await open(`/destinations/${refusing}/dead-letters`);
  await untilText("permanent");
  await page.evaluate(`document.querySelector("tbody input[type=checkbox]").click()`);
  await click("Send the 1 chosen again");
  await page.evaluate(`document.querySelector("dialog[open] button.main").click()`);
  await click("how far it is");
  await untilText("finished");
  await receiver.untilReceived("/refusing", before + 1, TIMEOUT_MS);
});

test("a test call shows what each webhook answers", async () => {
  receiver.script("/refusing", { status: 418, body: ANSWER });
  const { click, open, untilText } = shown;
  await open(`/destinations/${refusing}/test`);
  await click("Send the test call");
  await untilText("http 4xx 418");
  await untilText("no room here");
});

test("a member of an audience is listed, with why", async () => {
  const { click, open, untilText } = shown;
  const audience = () => api<{ members: number }>(`/v1/audiences/${audienceId}`);
  await until(async () => (await audience()).members === 1, { timeoutMs: TIMEOUT_MS, what: "the member" });
  await open(`/audiences/${audienceId}`);
  await untilText("1 members");
  await click("Why");
  await untilText("is a member, since");
});

test("statistics of all, a source and a destination add up, and are shown for the span that is chosen", async () => {
  const { click, open, page, text, untilText } = shown;
  const accepted = async (path: string) =>
    (await api<{ total: { accepted: number } }>(`/v1${path}stats?step=hour`)).total.accepted;
  await until(async () => (await accepted("/")) >= 2, {
    timeoutMs: TIMEOUT_MS,
    what: "the calls to be counted",
  });
  for (const path of ["/", `/sources/${source.id}/statistics`]) {
    await open(path);
    await click("the last day");
    await untilText("Accepted calls by hour");
    expect(await page.evaluate("location.search")).toBe("?span=day");
    const of = path === "/" ? "/" : `/sources/${source.id}/`;
    expect(await text()).toMatch(new RegExp(`Accepted\\s+${await accepted(of)}\\b`));
    await page.waitForFunction('document.querySelectorAll("figure canvas").length === 2', {
      timeout: TIMEOUT_MS,
    });
  }
  await open(`/destinations/${failing}?span=week`);
  await untilText("Calls by hour of their acceptance");
  expect(await text()).toMatch(/Sent to destinations\s+[1-9]/);
});

test("a user's page has what is known of them, with ways to why and to their calls", async () => {
  const { click, open, page, text, type, untilText } = shown;
  await open("/profiles");
  await type("Id", hostile.userId);
  await click("Show who this is");
  await untilText("Last calls");
  for (const known of ["Buyers", "member", "Orders", "Counts all"]) await untilText(known);
  expect(await text()).toContain("\\u{202e}gnp.exe");
  await click("Why");
  await untilText("is a member, since");
  await open(`/profiles/${encodeURIComponent(hostile.userId)}`);
  await untilText("Last calls");
  await page.evaluate(`document.querySelector('td a[href*="/calls/"]').click()`);
  await untilText("Received");
  expect(await page.evaluate("location.pathname")).toContain("/calls/");
  await open("/profiles/nobody");
  await untilText("There is none");
});

test("a suppression is begun by its dialog, ends, and stands in the audit with who asked for it", async () => {
  const { click, open, page, text, type, untilText } = shown;
  await open("/deletions");
  await type("What is to be done", "SUPPRESS_ONLY");
  await type("User ids", `gone 1\ngone 2\ngone 1\n`);
  await click("Begin it");
  await untilText("suppress: 2 users, in the whole workspace.");
  await page.evaluate(`document.querySelector("dialog[open] button.main").click()`);
  await click("how far it is");
  await untilText("finished", TIMEOUT_MS);
  regulationId = String(await page.evaluate("location.pathname.split('/').at(-1)"));
  expect(await text()).not.toContain("gone 1");

  await open("/audit?resource=regulation");
  await untilText(regulationId);
  expect(await text()).not.toContain(`${source.id}`);
  await type("Of", "source");
  await untilText(source.id);
  expect(await page.evaluate("location.search")).toBe("?resource=source");
  await click("created");
  await untilText('"name"');
  expect(await page.evaluate("window.ran")).toBeUndefined();
});

describe("every page", () => {
  const paths = (): readonly string[] => [
    "/",
    "/sources",
    `/sources/${source.id}`,
    `/sources/${source.id}/live`,
    `/sources/${source.id}/statistics?span=week`,
    "/destinations",
    `/destinations/${failing}`,
    `/destinations/${failing}/attempts`,
    `/destinations/${failing}/waiting`,
    `/destinations/${refusing}/dead-letters`,
    `/destinations/${failing}/test`,
    `/destinations/${failing}/settings`,
    "/calls",
    `/calls/${encodeURIComponent(hostile.messageId)}?sourceId=${source.id}`,
    "/dead-letters",
    "/replays",
    "/audiences",
    `/audiences/${audienceId}?userId=${encodeURIComponent(hostile.userId)}`,
    "/traits",
    "/profiles",
    `/profiles/${encodeURIComponent(hostile.userId)}`,
    "/profiles/anon%3Anobody",
    "/deletions",
    `/deletions/${regulationId}`,
    "/audit",
    `/traits/${traitId}`,
    "/destinations?search=none",
    "/destinations/dst_none",
    "/nowhere",
  ];

  const LOOKS = [
    ["light", 1_280],
    ["dark", 1_280],
    ["light", 360],
  ] as const;

  test("has no finding of axe-core in both themes and on a phone, and is not wider than its window", async () => {
    const { findings, open, page } = shown;
    const found: string[] = [];
    for (const path of paths()) {
      await open(path);
      await page.waitForFunction('!document.querySelector("main .loading")', { timeout: TIMEOUT_MS });
      for (const [scheme, width] of LOOKS) {
        await page.setViewport({ width, height: 800 });
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        const where = `${path} ${scheme} ${width}`;
        found.push(...(await findings()).map((finding) => `${where}: ${finding}`));
        const overflow = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
        if (overflow > 0) found.push(`${where}: ${overflow} px wider than the window`);
      }
    }
    expect(found).toEqual([]);
    await page.setViewport({ width: 1_280, height: 800 });
  });

  test("runs nothing of what strangers wrote, and asks nobody but control", async () => {
    expect(await shown.page.evaluate("window.ran")).toBeUndefined();
    expect(shown.faults).toEqual([]);
  });
});

test("with tokens it asks for one, keeps it out of every storage, and says what it does not allow", async () => {
  const { ports } = await deployment.addProcess("control", {
    HOOKLINE_API_TOKENS: "reader:read:token-of-a-reader",
    HOOKLINE_CONTROL_HOST: "127.0.0.1",
    HOOKLINE_CONTROL_PORT: "0",
  });
  const guarded = await openConsole(browser, `http://127.0.0.1:${ports["controlPort"]}`);
  const { click, findings, open, page, type, untilText } = guarded;
  await open(`/destinations/${failing}`);
  await untilText("Token of the control API");
  expect(await findings()).toEqual([]);
  await type("Token", "wrong");
  await click("Sign in");
  await untilText("not one of the configured ones");
  await type("Token", "token-of-a-reader");
  await click("Sign in");
  await untilText("Send what waits now");
  await click("Send what waits now");
  await page.evaluate(`document.querySelector("dialog[open] button.main").click()`);
  await untilText("Your token does not allow this");
  await open("/deletions");
  await untilText("a token needs the scope write; yours has read.");
  const kept = "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])";
  expect(await page.evaluate(kept)).not.toContain("token-of-a-reader");
  await open("/destinations");
  await untilText("Sign out");
  await click("Sign out");
  await untilText("Token of the control API");
  await open("/destinations");
  await untilText("Token of the control API");
  expect(guarded.faults).toEqual([]);
  await page.close();
});
