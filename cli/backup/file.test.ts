import { Readable } from "node:stream";
import { describe, expect, test } from "@jest/globals";
import { printedBy } from "../fixtures/printed.ts";
import { backupWriter, FORMAT, readBackup } from "./file.ts";

function linesOf(entries: readonly string[]): string[] {
  const writer = backupWriter();
  const head = writer.head("1.2.3", 0);
  const lines = entries.map((key) => writer.entry("source-config", key, `{"id":"${key}"}`));
  return [head, ...lines, writer.end()];
}

const read = (pieces: readonly string[]) => readBackup(Readable.from(pieces));

describe("a backup's file", () => {
  test("is read as it was written", async () => {
    expect(await read(linesOf(["a", "b"]))).toEqual([
      { record: "source-config", key: "a", value: { id: "a" } },
      { record: "source-config", key: "b", value: { id: "b" } },
    ]);
    expect(await read(linesOf([]))).toEqual([]);
  });

  test.each([1, 7, 1_000])(
    "is read in pieces of %i characters, whatever ends lines elsewhere",
    async (size) => {
      const text = linesOf(["a\u2028b", "c\u2029d\u0085e"]).join("");
      for (const ended of [text, text.replaceAll("\n", "\r\n")]) {
        const pieces = ended.match(new RegExp(`.{1,${size}}`, "gsu")) ?? [];
        expect((await read(pieces)).map(({ key }) => key)).toEqual(["a\u2028b", "c\u2029d\u0085e"]);
      }
    },
  );

  test("is read as it comes on standard input, which may be larger than a text can be", async () => {
    function* endless(): Generator<string> {
      for (let taken = 0; taken < 100; taken += 1) yield "{}\n";
      throw new Error("more was read than tells what it is");
    }
    const settings = { HOOKLINE_KAFKA_BROKERS: "none:1", HOOKLINE_SCHEMA_REGISTRY_URL: "http://none" };
    const { code, said } = await printedBy(["restore", "-", "--dry-run"], settings, endless());
    expect([code, said]).toEqual([1, "hookline: -: the file is no backup of Hookline"]);
  });

  test("is refused when a later version wrote it, which it names", async () => {
    const [head = "", ...rest] = linesOf(["a"]);
    const later = head.replace(`"hooklineBackup":${FORMAT}`, `"hooklineBackup":${FORMAT + 1}`);
    await expect(read([later, ...rest])).rejects.toThrow(
      `the backup has format ${FORMAT + 1}, of Hookline 1.2.3; this version reads up to ${FORMAT}`,
    );
  });

  test("is refused when it ends too early, was changed, or is something else", async () => {
    const lines = linesOf(["a", "b"]);
    await expect(read(lines.slice(0, -1))).rejects.toThrow("its last line is missing");
    await expect(read([])).rejects.toThrow("the file is empty");
    const changed = lines.map((line) => line.replace('"id":"b"', '"id":"c"'));
    await expect(read(changed)).rejects.toThrow("its checksum does not fit");
    await expect(read([...lines, "{}"])).rejects.toThrow("something follows");
    await expect(read(['{"name":"x"}'])).rejects.toThrow("no backup of Hookline");
    await expect(read(["name;value"])).rejects.toThrow("line 1 is no JSON object");
  });
});
