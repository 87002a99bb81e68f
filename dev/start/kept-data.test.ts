import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { type KeptData, openKeptData } from "./kept-data.ts";

let folder: string;
let said: string[];
beforeEach(async () => {
  folder = scratchFolder();
  said = [];
});

async function open(isFresh = false): Promise<KeptData> {
  const data = await openKeptData({ folder, isFresh, say: (line) => said.push(line) });
  if (typeof data === "number") throw new Error(`process ${data} has it`);
  return data;
}

async function put(...files: readonly string[]): Promise<void> {
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), "x");
  }
}

/** A start that came up, and has ended. */
async function keep(): Promise<void> {
  const data = await open();
  await put("kafka/broker-1/data/log", "services/control/index", "logs/ingest.log");
  await data.markWhole();
  await data.release();
}

const names = async () =>
  (await readdir(folder)).filter((name) => !/^(?:lock|format\.json)$/.test(name)).toSorted();

test("what a start kept is there for the next one, which says so and where", async () => {
  await keep();
  expect((await open()).isOfEarlier).toBe(true);
  expect(said).toEqual([expect.stringContaining(`earlier starts in ${folder} (\`npm start -- --fresh\``)]);
  expect(await names()).toEqual(["kafka", "logs-of-the-start-before", "services"]);
});

test("a fresh start removes it, and nothing else in the folder", async () => {
  await keep();
  await put("notes");
  expect((await open(true)).isOfEarlier).toBe(false);
  expect(await names()).toEqual(["logs-of-the-start-before", "notes"]);
});

test("what was left before Kafka had been up once is not gone on with", async () => {
  const data = await open();
  await put("kafka/broker-1/data/half");
  await data.release();
  expect((await open()).isOfEarlier).toBe(false);
  expect(await names()).toEqual([]);
});

test("a folder that is not its own is left alone", async () => {
  await put("kafka/of-somebody-else");
  for (const isFresh of [false, true])
    await expect(open(isFresh)).rejects.toThrow("is not of npm start: name an empty folder");
  expect(await names()).toEqual(["kafka"]);
});

test("what versions before this one kept is gone on with", async () => {
  await put("kafka/broker-1/data/meta.properties");
  expect((await open()).isOfEarlier).toBe(true);
  expect(await names()).toEqual(["kafka"]);
});

test("data of another format is refused with what to do, which works", async () => {
  await keep();
  await writeFile(join(folder, "format.json"), '{"format":2,"isWhole":true}');
  await expect(open()).rejects.toThrow(
    `the data in ${folder} was kept by another version of Hookline (its format is 2, this version's is 1): \`npm start -- --fresh\` begins anew`,
  );
  expect(await names()).toContain("kafka");
  await (await open(true)).markWhole();
  expect(JSON.parse(await readFile(join(folder, "format.json"), "utf8"))).toEqual({
    format: 1,
    isWhole: true,
  });
});

test("a mark that cannot be read is of a format that nobody knows", async () => {
  await keep();
  await writeFile(join(folder, "format.json"), "{");
  await expect(open()).rejects.toThrow(
    "its format is 0, this version's is 1): `npm start -- --fresh` begins anew, or start the version that kept it.",
  );
  // A start that was refused does not keep the folder from the next.
  expect((await open(true)).isOfEarlier).toBe(false);
});

test("a second start is told who has it; one that was killed has it no more", async () => {
  await keep();
  const data = await open();
  await expect(open()).rejects.toThrow(`process ${process.pid} has it`);
  await data.release();
  const killed = spawn(process.execPath, ["-e", ""]);
  await once(killed, "exit");
  await writeFile(join(folder, "lock"), String(killed.pid));
  expect((await open()).isOfEarlier).toBe(true);
});
