// Commands of audiences, computed traits, imports and regulations against a real control API.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type ControlService, startControl } from "#support/control-service";
import { scratchFolder } from "#support/scratch-folder";
import { until } from "#support/until";
import { type Printed, printedBy } from "./fixtures/printed.ts";

const TOKEN = "a-token-of-the-command-test";
const WAIT = { timeoutMs: 60_000 };

let control: ControlService;
let folder: string;

beforeAll(async () => {
  control = await startControl({ settings: { HOOKLINE_API_TOKENS: TOKEN } });
  folder = scratchFolder();
}, 180_000);

afterAll(async () => {
  await control?.stop();
});

const hookline = (...args: string[]): Promise<Printed> =>
  printedBy(args, { HOOKLINE_CONTROL_URL: control.url, HOOKLINE_CONTROL_TOKEN: TOKEN });

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function asked(...args: string[]): Promise<any> {
  const { code, lines, said } = await hookline(...args, "--json");
  if (code !== 0) throw new Error(`hookline ${args.join(" ")} ended with ${code}: ${said}`);
  return JSON.parse(lines.join("\n"));
}

async function fileOf(name: string, content: string | Buffer | object): Promise<string> {
  const path = join(folder, name);
  const isText = typeof content === "string" || Buffer.isBuffer(content);
  await writeFile(path, isText ? content : JSON.stringify(content));
  return path;
}

test("an audience gets another name and definition, is paused and resumed; what is not named stays", async () => {
  const definition = await fileOf("first.json", { event: "A", within: "30d" });
  const { id } = await asked("audiences", "create", "--name", "Buyers", "--definition", definition);
  const second = await fileOf("second.json", { event: "B", within: "7d" });
  expect(await asked("audiences", "update", id, "--name", "Fans", "--definition", second)).toMatchObject({
    ...{ key: "buyers", name: "Fans", generation: 2, paused: false },
    definition: { event: "B", within: "7d" },
  });
  expect(await asked("audiences", "update", id, "--pause")).toMatchObject({ name: "Fans", paused: true });
  expect(await asked("audiences", "update", id, "--resume")).toMatchObject({ generation: 2, paused: false });
  expect(await hookline("audiences", "update", id, "--pause", "--resume")).toMatchObject({
    code: 2,
    said: expect.stringContaining("exclude each other"),
  });
  const wrong = await fileOf("wrong.json", { event: 5 });
  expect(await hookline("audiences", "update", id, "--definition", wrong)).toMatchObject({
    code: 3,
    said: expect.stringContaining("definition.event"),
  });
}, 180_000);

test("an audience sends track calls and traits along when it is told to, until it is told otherwise", async () => {
  const definition = await fileOf("telling.json", { event: "A" });
  const create = ["audiences", "create", "--name", "Telling", "--definition", definition];
  const { id, ...made } = await asked(
    ...create,
    "--track-calls",
    "--send-trait",
    "email",
    "--send-trait",
    "plan",
  );
  expect(made).toMatchObject({ trackCalls: true, sendTraits: ["email", "plan"], generation: 1 });
  const update = (...args: string[]) => asked("audiences", "update", id, ...args);
  expect(await update("--name", "Told")).toMatchObject({ trackCalls: true, sendTraits: ["email", "plan"] });
  expect(await update("--no-track-calls", "--send-trait", "plan")).toMatchObject({
    ...{ trackCalls: false, sendTraits: ["plan"], generation: 1 },
  });
  expect(await update("--no-send-trait")).toMatchObject({ trackCalls: false, sendTraits: [] });
  expect(await hookline("audiences", "update", id, "--send-trait", "telling")).toMatchObject({
    code: 3,
    said: expect.stringContaining("sendTraits[0]"),
  });
}, 180_000);

test("a preview says how many would be members and why, and makes nothing", async () => {
  const definition = await fileOf("preview.json", { event: "Never Seen" });
  const previewed = (...args: string[]) =>
    hookline("audiences", "preview", "--definition", definition, ...args);
  await until(async () => (await previewed()).code === 0, { ...WAIT, what: "the profiles to be read" });
  expect((await previewed()).lines).toEqual(["0 of 0 profiles would be members."]);
  expect(JSON.parse((await previewed("--json", "--include-anonymous")).lines.join("\n"))).toMatchObject({
    estimatedCount: 0,
    exact: true,
    countError: 0,
    sample: [],
  });
  const wrong = await fileOf("wrong-preview.json", { event: "A", within: "1s" });
  expect(await hookline("audiences", "preview", "--definition", wrong)).toMatchObject({
    code: 3,
    said: expect.stringContaining("definition.within"),
  });
  expect((await asked("audiences", "list", "--key", "never_seen")).data).toEqual([]);
}, 180_000);

test("a computed trait is made, listed, paused, shown by value, and deleted", async () => {
  const definition = await fileOf("trait.json", { event: "A", within: "30d", reduce: { fn: "count" } });
  const made = ["traits", "create", "--name", "Order count", "--definition", definition];
  const { id } = await asked(...made);
  expect((await asked("traits", "list", "--key", "order_count")).data).toMatchObject([{ id }]);
  expect(await asked("traits", "update", id, "--pause")).toMatchObject({ paused: true, status: "paused" });
  const valued = (): Promise<Printed> => hookline("traits", "values", id);
  await until(async () => (await valued()).code === 0, { ...WAIT, what: "the profiles to be read" });
  expect((await valued()).lines).toEqual(["USER ID  VALUE  SINCE"]);
  expect(await asked("traits", "values", id, "--user", "u1")).toEqual({
    kind: "value",
    userId: "u1",
    groupId: null,
    value: null,
  });
  expect((await hookline("traits", "delete", id)).code).toBe(0);
  expect((await hookline("traits", "show", id)).code).toBe(4);
}, 180_000);

test("a list is uploaded from a file, plain or compressed; one that empties it is held, and confirmed", async () => {
  // This runs before there are changes: nobody is here to fold them.
  const { id: other } = await asked("audiences", "create", "--name", "Nobody", "--kind", "list");
  const none = await fileOf("none.txt", "userId\n");
  expect(await hookline("imports", "create", other, "none", "--file", none)).toMatchObject({
    code: 2,
    said: expect.stringContaining("--format"),
  });
  expect((await asked("imports", "create", other, "none", "--file", none, "--format", "csv")).rows).toBe(0);
  const isHeld = async () => (await asked("imports", "show", other, "none")).status === "held";
  await until(isHeld, { ...WAIT, what: "the import to be held" });
  expect((await asked("imports", "confirm", other, "none")).status).toBe("staged");
  const { id } = await asked("audiences", "create", "--name", "Vips", "--kind", "list");
  const rows = await fileOf("members.ndjson.gz", gzipSync('{"userId":"u1"}\n{"userId":"u2"}\n'));
  expect(await asked("imports", "create", id, "one", "--file", rows, "--mode", "add")).toMatchObject({
    ...{ id: "one", audienceId: id, mode: "add", rows: 2 },
  });
  const wrong = await fileOf("wrong.csv", "name,userId\na,u1\nb,\n");
  expect(await hookline("imports", "create", other, "two", "--file", wrong)).toMatchObject({
    code: 3,
    said: expect.stringContaining("line 3 has no userId"),
  });
  expect(await hookline("imports", "create", other, "two", "--file", join(folder, "no.csv"))).toMatchObject({
    code: 2,
    said: expect.stringContaining("ENOENT"),
  });
}, 180_000);

test("a regulation is begun for users of a file, and followed", async () => {
  const users = await fileOf("users.txt", "u1\r\nu2\n\n");
  const create = ["regulations", "create", "--type", "SUPPRESS_ONLY"];
  const tried = await asked(...create, "--user", "u1", "--dry-run");
  expect(tried).toMatchObject({ subjectCount: 1, notKnown: [] });
  expect((await asked("regulations", "list")).data).toEqual([]);
  const { id } = await asked(...create, "--users-file", users, "--user", "u3");
  const isOver = async () => (await asked("regulations", "show", id)).status === "finished";
  await until(isOver, { ...WAIT, what: "the suppression" });
  expect((await asked("regulations", "list", "--status", "finished")).data).toMatchObject([
    { id, subjectCount: 3 },
  ]);
  expect(await hookline(...create)).toMatchObject({ code: 2, said: expect.stringContaining("--users-file") });
  expect((await hookline("regulations", "create", "--type", "OTHER", "--user", "u1")).code).toBe(3);
}, 180_000);
