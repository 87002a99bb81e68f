// What is built in the console: filters, audiences and lists of members, in a real Chromium, against the whole product on real Kafka.
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { requestJson } from "#support/api";
import type { ConsolePage } from "#support/console";
import { scratchFolder } from "#support/scratch-folder";
import { until } from "#support/until";
import { openShownWorld, type ShownWorld } from "./shown.ts";
import type { World } from "./world.ts";

// The first run downloads the browser.
jest.setTimeout(300_000);

const TIMEOUT_MS = 60_000;
const FIRST = { userId: "ann", event: "Order Completed", messageId: "m-1" };

let opened: ShownWorld | undefined;
let world: World;
let shown: ConsolePage;

beforeAll(async () => {
  opened = await openShownWorld({
    calls: [FIRST],
    // A preparation is seen before it ends.
    settings: { HOOKLINE_AUDIENCE_BACKFILL_RATE: "10" },
  });
  ({ shown, world } = opened);
}, 300_000);

afterAll(() => opened?.close(), 180_000);

test("a filter is built by form, tested on the last calls with what decided each, and saved", async () => {
  const { click, looks, open, page, tabTo, text, type, untilText } = shown;
  await world.send({ userId: "u-big", event: "Filtered", messageId: "f-1", properties: { total: 120 } });
  await world.send({ userId: "u-small", event: "Filtered", messageId: "f-2", properties: { total: 80 } });
  const calls = () => world.api<{ data: { messageId: string }[] }>(`/v1/sources/${world.source.id}/calls`);
  const isIndexed = async () => (await calls()).data.some(({ messageId }) => messageId === "f-2");
  await until(isIndexed, { timeoutMs: TIMEOUT_MS, what: "the calls to be indexed" });
  await open(`/destinations/${world.refusing}/edit`, "Add a condition");
  await click("Add a condition");
  await type("Condition", "all");
  await untilText("filter.all[0]");
  await click("Add a condition", "filter.all[1]");
  await click("Remove filter.all[1]");
  await type("Path", "properties.total");
  // A number that is emptied, and one that begins with a sign, stay numbers while they are typed.
  await tabTo("Value");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("-");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("100");
  await click("Add a group", "filter.all[1].any[0]");
  await click("Remove filter.all[1]");
  await click("Test on the last 100 calls", "calls would be sent");
  expect(await text()).toMatch(/1 of the last \d+ calls would be sent/);
  expect(await text()).toMatch(/filter\.all\[0\] holds: 120/);
  expect(await text()).toMatch(/filter\.all\[0\] does not hold: 80/);
  expect(await looks("the form")).toEqual([]);
  await type("Operator", "starts_with");
  await click("Save", "This was refused");
  expect(await text()).toMatch(/filter\.all\[0\]\.value must be a text/);
  await type("Value", "no-");
  await click("Save", "Saved: in force");
  expect(await world.api(`/v1/destinations/${world.refusing}`)).toMatchObject({
    filter: { all: [{ path: "properties.total", op: "starts_with", value: "no-" }] },
  });
  await untilText("filter.all[0]");
  await type("Operator", "in");
  await type("Values", "pro\n\nteam\n");
  await untilText("Changed: filter");
  expect(await page.evaluate('document.querySelector(".conditions textarea").value')).toBe("pro\n\nteam\n");
  await click("Save", "Saved: in force");
  expect(await world.api(`/v1/destinations/${world.refusing}`)).toMatchObject({
    filter: { all: [{ op: "in", value: ["pro", "team"] }] },
  });
  await untilText("filter.all[0]");
  await click("Remove all of it");
  await click("Save", "Saved: in force");
  expect(await world.api(`/v1/destinations/${world.refusing}`)).toMatchObject({ filter: null });
});

/** What a select of the form offers. */
const offered = async (label: string): Promise<string[]> =>
  (await shown.page.evaluate(`(() => {
    const named = [...document.querySelectorAll("label")].find((one) => one.innerText.trim() === ${JSON.stringify(label)});
    return [...document.getElementById(named.htmlFor).options].map(({ value }) => value);
  })()`)) as string[];

/** What the rules know, in the words in which they refuse what they do not know. */
async function known(definition: object): Promise<string[]> {
  const { body } = await requestJson<{ errors: readonly { readonly message: string }[] }>(
    `${world.deployment.controlUrl()}/v1/audiences/preview`,
    { body: { definition } },
  );
  const [{ message = "" } = {}] = body.errors;
  return message.replace(/^must (?:be|have) one of /, "").split(", ");
}

/** The definition that the form has made. */
async function made(): Promise<object> {
  await shown.click("JSON");
  const text = String(await shown.page.evaluate(`document.querySelector(".conditions textarea").value`));
  await shown.click("Form");
  return JSON.parse(text) as object;
}

const isTaken = async (definition: object): Promise<void> =>
  void (await world.api("/v1/audiences/preview", { definition }));

test("the form of an audience offers every condition that the rules know, and each as it begins is one", async () => {
  const { click, open, page, type } = shown;
  await open("/audiences/new");
  await click("Add a condition", "Condition");
  expect(await offered("Condition")).toEqual(await known({}));
  await type("named", "Order Completed");
  await type("Condition", "all");
  // So that a condition may stand alone that only excludes.
  await page.evaluate(`document.querySelector(".conditions > .switch input").click()`);
  for (const measure of await offered("have come")) {
    await type("have come", measure);
    if (measure.endsWith("ollowedBy")) await type("others named", "Order Cancelled");
    for (const window of measure === "stopped" ? [] : await offered("when")) {
      await type("when", window);
      // A first call at any time needs a date.
      if (`${measure} ${window}` !== "first ") await isTaken(await made());
    }
    if (measure === "stopped") await isTaken(await made());
  }
  await type("have come", "reduce");
  const reduce = { fn: "?", path: "a" };
  const fns = await known({ event: "A", reduce, op: "eq", value: 1 });
  expect([...(await offered("what")), "count", "unique"].sort()).toEqual(fns.sort());
  await type("Condition", "trait");
  expect((await offered("Operator")).sort()).toEqual((await known({ trait: "plan", op: "?" })).sort());
  for (const op of await offered("Operator")) {
    await type("Operator", op);
    // A text to begin with is empty, which eq may be and contains may not.
    if (["contains", "not_contains", "starts_with", "ends_with"].includes(op)) await type("Value", "pro");
    await isTaken(await made());
  }
  await type("Operator", "eq");
  await type("As", "a trait");
  await type("Their trait", "former_plan");
  await isTaken(await made());
});

test("how many members of an account meet a condition is asked by form, and changing it keeps whose it is", async () => {
  const { click, open, type, untilText } = shown;
  await open("/audiences/new");
  await click("Add a condition", "Condition");
  await type("Of", "accounts");
  await type("Condition", "members");
  await untilText("definition.members");
  await type("named", "Login");
  await type("members who meet this", "2");
  const members = { members: { event: "Login" }, count: { op: "gte", value: 2 } };
  expect(await made()).toEqual({ of: "accounts", ...members });
  await isTaken(await made());
  await type("Condition", "all");
  await untilText("definition.all[0].members");
  expect(await made()).toEqual({ of: "accounts", all: [members] });
});

test("a preview of accounts by an audience of their members names them and why, once every user is known", async () => {
  const { click, open, type, untilText } = shown;
  const of = "accounts";
  await world.api("/v1/audiences", { name: "Every Account", definition: { of, everyone: true } });
  await world.api("/v1/audiences", { name: "Watchers", definition: { event: "Watched" } });
  const definition = { of, members: { audience: "watchers" } };
  const preview = () =>
    world.api<{ sample: object[]; unknownAudiences: string[] }>("/v1/audiences/preview", { definition });
  let calls = 0;
  const isCounted = async () => {
    // Calls count for accounts from a second after the first definition of accounts.
    calls += 1;
    await world.send({
      ...{ userId: "wil", event: "Watched", messageId: `w-${calls}` },
      context: { groupId: "initech" },
    });
    const { sample, unknownAudiences } = await preview();
    return sample.length === 1 && unknownAudiences.length === 0;
  };
  await until(isCounted, { timeoutMs: TIMEOUT_MS, what: "the account in a preview" });
  await open("/audiences/new");
  await click("Add a condition", "Condition");
  await click("JSON");
  await type("Definition as JSON", JSON.stringify(definition));
  await untilText("initech");
  await untilText("definition holds: 1");
});

const untilCount = (members: number) =>
  shown.untilTrue(`/(^|\\s)${members} of \\d+ profiles would be members\\./.test(document.body.innerText)`);

test("an audience is made by form, with a live count of its members and why, and changed", async () => {
  const { click, looks, open, page, text, type, untilText } = shown;
  await open("/audiences/new");
  await type("Name", "Big Orders");
  await click("Add a condition", "definition");
  await untilText("must be a name of 1 to");
  await type("named", FIRST.event);
  await untilCount(1);
  await untilText("definition holds: 1");
  await type("have come", "count");
  await untilCount(0);
  await click("Add where", "where");
  await click("Remove where 1");
  await type("times", "1");
  await untilCount(1);
  expect(await looks("the form of an audience")).toEqual([]);
  await click("Make it", "Change it");
  const id = String(await page.evaluate("location.pathname.split('/').at(-1)"));
  const audience = () => world.api<{ members: number; status: string }>(`/v1/audiences/${id}`);
  await until(async () => (await audience()).members === 1, { timeoutMs: TIMEOUT_MS, what: "the member" });
  expect(await audience()).toMatchObject({
    ...{ name: "Big Orders", key: "big_orders" },
    definition: { event: FIRST.event, count: { op: "gte", value: 1 } },
  });
  await click("Change it", "have come");
  await type("when", "within");
  await untilText("Changed: definition");
  await click("Save", "Saved: only differences are sent.");
  expect(await audience()).toMatchObject({ definition: { within: "30d" }, generation: 2 });
  expect(await text()).not.toContain("This was refused");
});

test("a computed trait is made by form with every value that the rules know, refused beside its field, and changed", async () => {
  const { click, looks, open, page, text, type, untilText } = shown;
  await open("/traits/new");
  await type("Name", "Spent");
  await type("named", FIRST.event);
  const { body } = await requestJson<{ errors: readonly { readonly message: string }[] }>(
    `${world.deployment.controlUrl()}/v1/computed-traits`,
    { body: { name: "x", definition: { event: "A", reduce: { fn: "?", path: "a" } } } },
  );
  const known = body.errors[0]?.message.replace(/^must be one of /, "").split(", ");
  expect((await offered("its value is")).sort()).toEqual(known?.sort());
  await type("its value is", "sum");
  await type("path", "");
  await click("Make it", "definition.reduce.path");
  await type("path", "properties.total");
  expect(await made()).toEqual({
    ...{ event: FIRST.event, reduce: { fn: "sum", path: "properties.total" } },
  });
  await type("its value is", "count");
  await untilText("profiles would have a value.");
  await untilText("Made of");
  await type("when", "within");
  expect(await looks("the form of a computed trait")).toEqual([]);
  await click("Make it", "Change it");
  const id = String(await page.evaluate("location.pathname.split('/').at(-1)"));
  const trait = () => world.api(`/v1/computed-traits/${id}`);
  expect(await trait()).toMatchObject({
    ...{ name: "Spent", key: "spent" },
    definition: { event: FIRST.event, within: "30d", reduce: { fn: "count" } },
  });
  await click("Change it", "its value is");
  await type("time", "7d");
  await untilText("Changed: definition");
  await click("Save", "Saved: only differences are sent.");
  expect(await trait()).toMatchObject({ definition: { within: "7d", reduce: { fn: "count" } } });
  expect(await text()).not.toContain("This was refused");
});

test("how far a preparation is, and how long it goes on, is shown while it is under way", async () => {
  const { open, untilText } = shown;
  for (let at = 0; at < 60; at += 1)
    await world.send({ userId: "u-many", event: "Read", messageId: `r-${at}`, properties: { page: at } });
  const definition = { event: "Read", where: [{ path: "properties.page", op: "gte", value: 10 }] };
  const isSeen = async () =>
    (await world.api<{ unknownCalls: string[] }>("/v1/audiences/preview", { definition })).unknownCalls
      .length > 0;
  await until(isSeen, { timeoutMs: TIMEOUT_MS, what: "the calls to be in profiles" });
  const { id } = await world.api<{ id: string }>("/v1/audiences", { name: "Readers", definition });
  await open(`/audiences/${id}`, " s left");
  await untilText("events looked at");
  await untilText("1 member");
});

const folder = scratchFolder();

/** Writes the file, and chooses it in the form. */
async function choose(name: string, content: string): Promise<void> {
  const path = join(folder, name);
  writeFileSync(path, content);
  const opening = shown.page.waitForFileChooser();
  await shown.page.evaluate(`document.querySelector("input[type=file]").click()`);
  await (await opening).accept([path]);
}

test("members are uploaded: wrong rows by their lines, the differences before anything changes, then the progress", async () => {
  const { click, looks, open, page, text, type, untilText } = shown;
  const id = world.listId;
  await open(`/audiences/${id}`);
  await click("Upload members", "A file of members");
  await choose("guests.csv", "name,userId\na,u1\nb,\n");
  await click("Upload it, and show the differences", "line 3 has no userId");
  const mended = join(folder, "guests.csv");
  writeFileSync(mended, "name,userId\na,u1\n");
  // Browsers compare whole seconds.
  utimesSync(mended, 1, 1);
  await click("Upload it, and show the differences", "The file has changed since it was chosen");
  const rows = Array.from({ length: 30 }, (_, at) => `x,guest-${at}`);
  await choose("guests.csv", ["name,userId", ...rows, rows[0]].join("\n"));
  await click("Upload it, and show the differences", "Nothing is changed yet");
  await untilText("Members of Guests are then");
  await untilText("No destination is connected to audiences");
  expect(await text()).toMatch(/Rows\s+31\s+Users\s+30\s+Added\s+30\s+Removed\s+0/);
  expect(await looks("an upload of members")).toEqual([]);
  const members = async () => (await world.api<{ members: number }>(`/v1/audiences/${id}`)).members;
  expect(await members()).toBe(0);
  await click("Apply it");
  await page.evaluate(`document.querySelector("dialog[open] button.main").click()`);
  await untilText("applied", TIMEOUT_MS);
  await until(async () => (await members()) === 30, { timeoutMs: TIMEOUT_MS, what: "the guests" });
  await choose("remove.ndjson", '{"userId":"guest-1"}\n');
  await type("Members are then", "remove");
  await click("Upload it, and show the differences", "remove.ndjson");
  await untilText("Nothing is changed yet");
  expect(await text()).toMatch(/Added\s+0\s+Removed\s+1/);
  await type("Members are then", "add");
  await click("Upload it, and show the differences", "Members of Guests are then those that it names, too.");
});

test("nothing of it failed, or asked anybody but control", () => {
  expect(shown.faults).toEqual([]);
});
