// An installation with nothing in it, in a real Chromium: each empty page says what to do, and by keyboard alone a source and a destination are made, and the first call arrives.
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { requestJson } from "#support/api";
import { type Browser, startChromium } from "#support/chromium";
import { builtConsole, type ConsolePage, openConsole } from "#support/console";
import { type Deployment, startDeployment } from "#support/deployment";
import { type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";

// The first run downloads the browser.
jest.setTimeout(300_000);

const TIMEOUT_MS = 60_000;

let browser: Browser;
let deployment: Deployment;
let receiver: Receiver;
let shown: ConsolePage;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  await builtConsole();
  browser = await startChromium();
  ends.push(() => browser.close());
  receiver = await startReceiver();
  ends.push(() => receiver.close());
  deployment = await startDeployment({});
  ends.push(() => deployment.stop());
  shown = await openConsole(browser, deployment.controlUrl());
}, 300_000);

afterAll(async () => {
  for (const end of ends.toReversed()) await end();
}, 180_000);

test.each([
  ["/", "To begin with"],
  ["/sources", "There are no sources yet"],
  ["/destinations", "There are no destinations yet"],
  ["/destinations/new", "There is no source yet."],
  ["/issues", "There is no issue"],
  ["/dead-letters", "There is no dead letter"],
  ["/replays", "Nothing was sent again"],
  ["/audiences", "There are no audiences yet"],
  ["/traits", "There are no computed traits yet"],
  ["/deletions", "Nobody has asked for a deletion"],
])("%s with nothing in it says what to do", async (path, said) => {
  const { looks, open } = shown;
  await open(path, said);
  await shown.untilTrue('!document.querySelector("main .loading")');
  expect(await looks(path)).toEqual([]);
});

test("the overview of an installation with nothing in it says what to do first, and nothing of what may fail", async () => {
  const { open, text } = shown;
  await open("/", "Nothing is set up yet");
  expect(await text()).not.toContain("Open issues");
});

const CONTENT = 'one.id === "content"';

test("by keyboard alone a source and a destination are made, and the first call arrives", async () => {
  const { open, page, tabTo, text, untilFocused, untilText } = shown;
  const press = (key: string) => page.keyboard.press(key);
  const type = (typed: string) => page.keyboard.type(typed);
  await open("/", "To begin with");
  await tabTo("Make a source");
  await press("Enter");
  await untilFocused(CONTENT);
  await untilText("A new source");
  await tabTo("Name");
  await type("Web shop");
  await press("Enter");
  await untilFocused(CONTENT);
  await untilText("Nowhere yet");
  const sourceId =
    String(await page.evaluate("location.pathname"))
      .split("/")
      .at(-1) ?? "";

  await tabTo("Make a destination for them");
  await press("Enter");
  await untilFocused(CONTENT);
  await untilText("A new destination");
  await tabTo("Name");
  await type("Warehouse");
  const choice = `document.querySelector("input[value='${sourceId}']")`;
  await shown.untilTrue(`${choice}?.checked === true`);
  await tabTo(`Web shop ${sourceId}`);
  await press("Space");
  await shown.untilTrue(`!${choice}.checked`);
  await press("Space");
  await tabTo("URL");
  await type(receiver.url("/first"));
  await tabTo("Make it");
  await press("Enter");
  await untilFocused(CONTENT);
  await untilText("Send what waits now");
  expect(await text()).toContain("Warehouse");

  const { body } = await requestJson<{ writeKeys: readonly string[] }>(
    `${deployment.controlUrl()}/v1/sources/${sourceId}`,
  );
  const arrived = async () => {
    await deployment.send(body.writeKeys[0] ?? "", "track", { userId: "ann", event: "First" });
    return receiver.requestsTo("/first").length > 0;
  };
  await until(arrived, { timeoutMs: TIMEOUT_MS, what: "the first call" });
  await tabTo("Overview");
  await press("Enter");
  await shown.untilTrue('document.querySelectorAll(".flow path").length === 1');
  expect(await text()).not.toContain("To begin with");
  expect(await text()).toContain("Open issues");
});

test("nothing of it failed, or asked anybody but control", () => {
  expect(shown.faults).toEqual([]);
});
