// Rows in their topic: what was written of an upload is read once, in its order, or known to be gone.
import { expect, test } from "@jest/globals";
import type { OutgoingRecord, RawRecord } from "#kafka";
import { type MembershipImport, type MembershipImportRows, topicMap } from "#topics";
import { createStagedRows, RowsExpiredError } from "./staged-rows.ts";

const topic = topicMap({ prefix: "", retryDelaysMs: [] }).membershipImportRows;

/** One partition. How often a write is tried until its acknowledgement comes: each time it stands in the log. */
class Log {
  readonly records: RawRecord[] = [];
  tries = 1;
  firstKept = 0;

  readonly rows = createStagedRows({
    topic,
    admin: { offsets: async () => [{ partition: 0, low: 0, high: this.records.length }] },
    producer: { send: async (records) => this.#append(records) },
    serde: {
      encode: (_, value) => Buffer.from(JSON.stringify(value)),
      decode: async (_, value) => JSON.parse(String(value)),
    },
    kafka: {
      readRange: async ({ fromOffset, onRecord, toOffset }) => {
        for (const record of this.records.slice(Math.max(fromOffset, this.firstKept), toOffset))
          await onRecord(record);
      },
    },
  });

  #append(records: readonly OutgoingRecord[]): void {
    for (let tries = 0; tries < this.tries; tries += 1)
      for (const { key = null, value } of records)
        this.records.push({
          ...{ topic: topic.name, partition: 0, offset: this.records.length, timestampMs: 0 },
          ...{ key, value: value as Buffer },
        });
  }

  async upload(uploadId: string, chunks: readonly string[][]): Promise<MembershipImport> {
    const writer = await this.rows.begin("l:i", uploadId);
    for (const chunk of chunks) await writer.write(chunk);
    return { id: "l:i", uploadId, rows: chunks.flat().length, ...(await writer.range()) } as MembershipImport;
  }

  async read(one: MembershipImport): Promise<string[]> {
    const read: string[] = [];
    const take = async (userIds: readonly string[]) => void read.push(...userIds);
    await this.rows.eachChunk(one, take, new AbortController().signal);
    return read;
  }
}

const CHUNKS = [["ann", "bob"], ["ann", "bob"], ["cid"]];

test("rows are read in their order, those of one upload alone", async () => {
  const log = new Log();
  await log.upload("other", [["dan"]]);
  const one = await log.upload("upload", CHUNKS);
  await log.upload("third", [["eve"]]);
  expect(await log.read(one)).toEqual(["ann", "bob", "ann", "bob", "cid"]);
});

test("a chunk that stands twice, as its acknowledgement was lost, is read once", async () => {
  const log = new Log();
  log.tries = 3;
  expect(await log.read(await log.upload("upload", CHUNKS))).toEqual(["ann", "bob", "ann", "bob", "cid"]);
});

test("rows that are gone are missed, also where others stand twice", async () => {
  const log = new Log();
  log.tries = 2;
  const one = await log.upload("upload", CHUNKS);
  log.firstKept = 2;
  await expect(log.read(one)).rejects.toThrow(
    new RowsExpiredError("only 3 of the 5 rows are still kept: upload them again"),
  );
});

test("rows of a version before are read as they stand", async () => {
  const log = new Log();
  const one = await log.upload("upload", CHUNKS);
  const before = log.records.map((record) => {
    const { uploadId, userIds }: MembershipImportRows = JSON.parse(String(record.value));
    return { ...record, value: Buffer.from(JSON.stringify({ uploadId, userIds, firstRow: null })) };
  });
  log.records.splice(0, log.records.length, ...before);
  expect(await log.read(one)).toEqual(["ann", "bob", "ann", "bob", "cid"]);
});
