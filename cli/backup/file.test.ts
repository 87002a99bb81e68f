import { describe, expect, test } from "@jest/globals";
import { backupWriter, FORMAT, readBackup } from "./file.ts";

function linesOf(entries: readonly string[]): string[] {
  const writer = backupWriter();
  const head = writer.head("1.2.3", 0);
  const lines = entries.map((key) => writer.entry("source-config", key, `{"id":"${key}"}`));
  return [head, ...lines, writer.end()];
}

async function* given(lines: readonly string[]) {
  for (const line of lines) yield line.trimEnd();
}

const read = (lines: readonly string[]) => readBackup(given(lines));

describe("a backup's file", () => {
  test("is read as it was written", async () => {
    expect(await read(linesOf(["a", "b"]))).toEqual([
      { record: "source-config", key: "a", value: { id: "a" } },
      { record: "source-config", key: "b", value: { id: "b" } },
    ]);
    expect(await read(linesOf([]))).toEqual([]);
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
