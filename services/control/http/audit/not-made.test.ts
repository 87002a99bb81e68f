import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { type AuditEntry, topicMap } from "#topics";
import { createAudit } from "./audit.ts";
import { wasDeleted } from "./deleted.ts";
import type { AuditNote } from "./parts.ts";

const { auditLog: topic } = topicMap({ prefix: "", retryDelaysMs: [1_000] });
const DELETED = { action: "deleted", resource: "source", resourceId: "s1", before: { id: "s1" } } as const;

function stage() {
  const clock = { nowMs: 1_000 };
  const keys: (string | null)[] = [];
  const entries: AuditEntry[] = [];
  let ids = 0;
  const audit = createAudit({
    topic,
    producer: { send: async (records) => void keys.push(...records.map(({ key }) => key)) },
    serde: {
      encode(_, entry) {
        entries.push(entry as unknown as AuditEntry);
        return Buffer.alloc(0);
      },
    },
    ids: { newAuditId: () => `log_${++ids}` },
    nowMs: () => clock.nowMs,
  });
  return { audit, clock, entries, keys };
}

test("a change that was refused behind its entry is written once more, under the same id, as not made; however late that is", async () => {
  const { audit, clock, entries, keys } = stage();
  const by = { token: "ops", requestId: "r1", changesUntilMs: 2_000 };
  const entry = await audit.record({ ...DELETED, by, after: null });
  clock.nowMs = 3_000;
  await entry.notMade();
  expect(keys).toEqual(["log_1", "log_1"]);
  const [first] = entries;
  expect(first).toMatchObject({ id: "log_1", atMs: 1_000, isMade: true });
  expect(entries[1]).toEqual({ ...first, isMade: false });
  await expect(audit.record({ ...DELETED, by, after: null })).rejects.toMatchObject({ kind: "unavailable" });
});

test.each([true, false])("what was to be deleted is, if it was made: %p", async (isMade) => {
  const note = { ...DELETED, id: "log_1", atMs: 1, isMade } as unknown as AuditNote;
  const log = {
    list: () => [note],
    refresh: async () => undefined,
    read: async () => new Map(),
  };
  expect(await wasDeleted({ auditLog: log, host: systemHost }, "source", "s1")).toBe(isMade);
});
