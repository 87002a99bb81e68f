// Pages of the audit log over entries as the version before wrote them: whole things, of any size.
import { afterEach, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { auditEntry } from "#support/records";
import { scratchFolder } from "#support/scratch-folder";
import type { AuditEntry } from "#topics";
import { readInto } from "../../deliveries/index/fixtures/reading.ts";
import { IndexPart } from "../../deliveries/index/index-part.ts";
import { serverOf } from "../fixtures/server.ts";
import type { AuditNote } from "./parts.ts";
import { addAuditRoute } from "./routes.ts";

const LARGE = 200_000;
const ends: (() => void)[] = [];

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function entryAt(at: number, more: Partial<AuditEntry> = {}): AuditEntry {
  return auditEntry({ id: `log_${String(at).padStart(12, "0")}`, atMs: at, ...more });
}

/** An index that has read these entries from one partition. */
function indexOf(entries: readonly AuditEntry[]): IndexPart {
  const folder = scratchFolder();
  const index = new IndexPart({ folder, nowMs: () => 1_000_000, onDiscarded: () => undefined });
  ends.push(() => index.close());
  readInto(index, "auditLog", entries);
  return index;
}

/** Asks for pages of the log that has these entries. */
async function listOf(entries: readonly AuditEntry[]) {
  const index = indexOf(entries);
  const reads: number[] = [];
  const auditLog = {
    list: index.listAuditEntries.bind(index),
    refresh: async () => undefined,
    async read(wanted: readonly AuditNote[]) {
      reads.push(wanted.length);
      return new Map(wanted.flatMap(({ id, place }) => (entries[place] ? [[id, entries[place]]] : [])));
    },
  };
  const server = await serverOf([(app) => addAuditRoute(app, { auditLog, host: systemHost })]);
  const list = async (query: string) => (await server.inject({ url: `/v1/audit?${query}` })).json();
  return { list, reads };
}

const numberOf = ({ id }: { id: string }): number => Number(id.slice(4));

test("a page ends before its answer is too large, and the next one goes on behind it", async () => {
  const before = JSON.stringify({ name: "x".repeat(LARGE) });
  const entries = [0, 1, 2, 3, 4].map((at) => entryAt(at, { before, isMade: at > 0 }));
  const { list, reads } = await listOf(entries);
  const seen: number[] = [];
  const made: boolean[] = [];
  let query = "limit=4";
  for (let pages = 1; pages <= 3; pages += 1) {
    const { data, next } = await list(query);
    seen.push(...data.map(numberOf));
    made.push(...data.map(({ isMade }: { isMade: boolean }) => isMade));
    query = `limit=4&after=${next}`;
    if (next === null) break;
  }
  expect(reads).toEqual([2, 2, 1]);
  expect(made).toEqual([true, true, true, true, false]);
  expect(seen).toEqual([4, 3, 2, 1, 0]);
  expect(await list("limit=4")).toMatchObject({ total: null, atLeast: 2 });
});

test("write keys are masked in what the version before wrote, too", async () => {
  const before = JSON.stringify({ writeKeys: ["0123456789abcdef"] });
  const { list } = await listOf([entryAt(0, { before })]);
  const { data } = await list("limit=1");
  expect(data[0].before.writeKeys).toEqual(["0123********"]);
});

test("pages have every entry once, the newest first, in whatever order the log has them", async () => {
  // Three of each moment, and stretches of eight the wrong way round.
  const entries = Array.from({ length: 1_000 }, (_, at) => entryAt(at, { atMs: Math.floor(at / 3) }));
  for (let at = 0; at + 7 < 1_000; at += 12) entries.splice(at, 8, ...entries.slice(at, at + 8).reverse());
  const { list } = await listOf(entries);
  const seen: { id: string; at: string }[] = [];
  for (let query = "limit=90"; query !== ""; ) {
    const { data, next } = await list(query);
    seen.push(...data);
    query = next === null ? "" : `limit=90&after=${next}`;
  }
  expect(seen.map(numberOf).sort((one, other) => one - other)).toEqual(entries.map((_, at) => at));
  const times = seen.map(({ at }) => at);
  expect(times).toEqual(times.toSorted().reverse());
});

test("what is narrowed by its token is found behind many others, over as many pages as that takes", async () => {
  const entries = Array.from({ length: 60_000 }, (_, at) => entryAt(at, { token: at < 2 ? "rare" : "ops" }));
  const { list } = await listOf(entries);
  const first = await list("token=rare");
  expect([first.data, typeof first.next]).toEqual([[], "string"]);
  const second = await list(`token=rare&after=${first.next}`);
  expect([second.data.map(numberOf), second.next]).toEqual([[1, 0], null]);
});

test("an entry that is written once more, as its change was not made, is listed once", async () => {
  const { list } = await listOf([entryAt(1), entryAt(2), entryAt(1, { isMade: false })]);
  const { data } = await list("resourceId=s");
  expect(data.map((entry: AuditEntry) => [numberOf(entry), entry.isMade])).toEqual([
    [2, true],
    [1, false],
  ]);
});
