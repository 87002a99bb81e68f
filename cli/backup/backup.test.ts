import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, expect, test } from "@jest/globals";
import type { KafkaAndSerde } from "#connection";
import { KafkaError } from "#kafka";
import { scratchFolder } from "#support/scratch-folder";
import { linesOnSmallDisk } from "#support/small-disk";
import { allTopics, configurationTopics, topicMap } from "#topics";
import { backUp } from "./backup.ts";
import { readBackup } from "./file.ts";

const map = topicMap({ prefix: "", retryDelaysMs: [1_000] });

let folder: string;
let path: string;

beforeEach(async () => {
  folder = scratchFolder();
  path = join(folder, "backup.ndjson");
});

/** Topics without records, of which one is lost at some look. */
function connection(isLost: (topic: string, looks: number) => boolean): KafkaAndSerde {
  const looks = new Map<string, number>();
  const admin = {
    offsets: async () => [{ partition: 0, low: 0, high: 0 }],
    async holdsRecords({ topic }: { readonly topic: string }) {
      looks.set(topic, (looks.get(topic) ?? 0) + 1);
      if (isLost(topic, looks.get(topic) ?? 0))
        throw new KafkaError("records_lost", `${topic} holds no records`, { canRetry: true });
      return false;
    },
  };
  return { kafka: { admin: () => admin, readRange: async () => undefined }, serde: {} } as never;
}

const written = (given: KafkaAndSerde, to = path, write = async (_: string): Promise<void> => undefined) =>
  backUp({
    ...{ connection: given, topics: configurationTopics(map), path: to, write },
    ...{ version: "1.2.3", nowMs: 0, onProgress: () => undefined },
  });

test("a topic that is lost before, or while it is read, leaves the backup of before as it is", async () => {
  await writeFile(path, "of before");
  for (const at of [1, 2]) {
    const { name } = map.destinationConfig;
    const lost = connection((topic, looks) => topic === name && looks === at);
    await expect(written(lost)).rejects.toMatchObject({ code: "records_lost" });
    expect(await readdir(folder)).toEqual(["backup.ndjson"]);
    expect(await readFile(path, "utf8")).toBe("of before");
  }
  await written(connection(() => false));
  expect(await readFile(path, "utf8")).toContain('"hooklineBackup":1');
});

test("a backup for standard output is no file, and has its last line only where nothing was lost", async () => {
  const texts: string[] = [];
  const keep = async (text: string) => void texts.push(text);
  await written(
    connection(() => false),
    "-",
    keep,
  );
  expect((await readBackup(Readable.from(texts))).length).toBe(0);
  const { name } = map.destinationConfig;
  const lost = connection((topic, looks) => topic === name && looks === 2);
  await expect(written(lost, "-", keep)).rejects.toMatchObject({ code: "records_lost" });
  expect(texts.map((text) => Object.keys(JSON.parse(text)))).toEqual([
    ["hooklineBackup", "version", "createdAt"],
    ["records", "sha256"],
    ["hooklineBackup", "version", "createdAt"],
  ]);
});

test("a disk that takes the last line only in part leaves no backup that is cut", () => {
  // Backups of many lengths end on either side of the longest that fits.
  const program = `
    import { readFile } from "node:fs/promises";
    import { backUp } from ${JSON.stringify(join(import.meta.dirname, "backup.ts"))};
    const [, path] = process.argv;
    const rest = { connection: { kafka: { admin() {} } }, topics: [], path, nowMs: 0 };
    for (let length = 300; length < 1_000; length += 50)
      await backUp({ ...rest, version: "1".repeat(length) }).then(
        async () => console.log((await readFile(path, "utf8")).endsWith("}\\n") ? "whole" : "cut"),
        ({ code }) => console.log(code),
      );`;
  expect(new Set(linesOnSmallDisk(1, program, path))).toEqual(new Set(["whole", "EFBIG"]));
});

test("what a backup that was killed has left is in nobody's way", async () => {
  await writeFile(`${path}.${process.pid}.unfinished`, "");
  await written(connection(() => false));
  expect(await readFile(path, "utf8")).toContain('"hooklineBackup":1');
});

test("the page on backups says of every other topic what is lost with it", async () => {
  const page = await readFile(join(import.meta.dirname, "../../docs/operate/backup.md"), "utf8");
  const [, table = ""] = /^## Other topics\n\n(.*?)\n\n/ms.exec(page) ?? [];
  const said = new Set([...table.matchAll(/`([a-z-]+)(?:…)?`/g)].map(([, name]) => name));
  const backedUp = configurationTopics(map).map(({ topic }) => topic.name);
  const others = allTopics(map).filter(({ name }) => !backedUp.includes(name));
  const names = others.map(({ name }) => name.replace(/^delivery-retry-.*/, "delivery-retry-"));
  expect([...new Set(names)].filter((name) => !said.has(name))).toEqual([]);
});
