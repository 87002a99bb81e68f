import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { DeadlineError, StackError } from "#stack";
import { scratchFolder } from "#support/scratch-folder";
import { openFolders, withFreshHint } from "./folders.ts";
import type { RunOptions } from "./run-options.ts";

let cache: string;
let said: string[];
let stops: (() => unknown)[];
beforeEach(async () => {
  cache = scratchFolder();
  said = [];
  stops = [];
});

function open(
  changes: { isFresh?: boolean; dataDir?: string; environment?: RunOptions["environment"] } = {},
) {
  const { dataDir, environment = {}, isFresh = false } = changes;
  const start = { cacheDir: cache, dataDir } as RunOptions["settings"]["start"];
  return openFolders({
    settings: { start } as RunOptions["settings"],
    environment,
    isFresh,
    say: (line) => said.push(line),
    ending: { onStarted: (stop) => void stops.push(stop), onStopped: () => undefined },
  });
}

const inUse = (folder: string) => `the data in ${folder} is in use by process ${process.pid}`;

test("--fresh is refused beside a Kafka of the environment, whose data is not ours", async () => {
  const environment = { HOOKLINE_KAFKA_BROKERS: "kafka:9092" };
  await expect(open({ isFresh: true, environment })).rejects.toThrow(
    "--fresh removes the data of the Kafka that npm start brings up, and HOOKLINE_KAFKA_BROKERS names another one.",
  );
  expect((await open({ environment })).data).toBeUndefined();
});

test("data that another start has is left to it, with a warning", async () => {
  expect((await open()).data?.folder).toBe(join(cache, "start"));
  expect((await open()).data).toBeUndefined();
  expect(said).toEqual([
    `WARN ${inUse(join(cache, "start"))}: this start begins without any, and keeps none. HOOKLINE_DATA_DIR names a folder of its own.`,
  ]);
});

test("data that another start has is refused to one that is none without it, or would remove it", async () => {
  const dataDir = join(cache, "own");
  await open({ dataDir });
  await expect(open({ dataDir })).rejects.toThrow(
    `${inUse(dataDir)}: end that one first, or name another folder with HOOKLINE_DATA_DIR.`,
  );
  await open();
  await expect(open({ isFresh: true })).rejects.toThrow(`${inUse(join(cache, "start"))}: end that one first`);
});

test("data is given back at the end", async () => {
  await open();
  for (const stop of stops) await stop();
  expect((await open()).data).toBeDefined();
  expect(said).toEqual([]);
});

const FOLDER = "/data/start";

test.each([
  ["a program that ended", new StackError("failed", "Kafka broker 1 ended with 1", { isOfData: true })],
  ["a program that did not answer", new DeadlineError("waited 120000 ms for Kafka broker 1 to answer")],
])("%s may have ended over the data: --fresh is named, and which folder", (_, error) => {
  const hinted = withFreshHint(error, FOLDER);
  expect(hinted).toMatchObject({
    message: `${error.message}\nWhere its data is the reason: \`npm start -- --fresh\` begins anew, without ${FOLDER}.`,
    cause: error,
  });
});

test.each([
  ["a program that is not there", new StackError("unavailable", "Java (`java`) was not found")],
  ["no Kafka to run on", new StackError("failed", "There is no Kafka to run on")],
  ["no free port", new Error("found no 3 free ports")],
])("%s is not mended by --fresh: the error stays as it is", (_, error) => {
  expect(withFreshHint(error, FOLDER)).toBe(error);
});
