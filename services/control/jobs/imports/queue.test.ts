import { expect, test } from "@jest/globals";
import type { Table } from "#kafka";
import { type MembershipImport, topicMap } from "#topics";
import { importOf } from "./fixtures/import.ts";
import { applied } from "./import.ts";
import { createImportQueue } from "./queue.ts";

const { membershipImports: topic } = topicMap({ prefix: "", retryDelaysMs: [1] });

/** A table that the test writes. */
function setup(begun: readonly MembershipImport[]) {
  const entries = new Map(begun.map((one) => [one.id, one]));
  const listeners: Parameters<Table<MembershipImport>["onChange"]>[0][] = [];
  const table = {
    get: (id: string) => entries.get(id),
    entries: () => entries.entries(),
    until: async () => undefined,
    onChange(listener: (typeof listeners)[number]) {
      listeners.push(listener);
      return () => undefined;
    },
  };
  const queue = createImportQueue({
    topic,
    table: table as unknown as Table<MembershipImport>,
    producer: { send: async () => undefined } as never,
    serde: { encode: () => Buffer.alloc(0) } as never,
  });
  function comes(id: string, value: MembershipImport | undefined): void {
    const before = entries.get(id);
    if (value === undefined) entries.delete(id);
    else entries.set(id, value);
    for (const listener of listeners) listener(id, value, before);
  }
  return { comes, queue };
}

test("an import that has ended stays so, whatever a process that was cut off writes behind it", async () => {
  const [first, second] = [importOf({ importId: "first" }), importOf({ queuedAtMs: 1_002 })];
  const { comes, queue } = setup([first, second]);
  const ended = applied(first, 2_000);
  comes(first.id, ended);
  expect([queue.get(first.id), queue.isAsWritten(first.id)]).toEqual([ended, true]);
  comes(first.id, { ...first, isCompared: true, updatedAtMs: 9_000 });
  expect([queue.get(first.id), queue.isAsWritten(first.id)]).toEqual([ended, false]);
  // The next one goes on.
  await queue.untilOlderHaveEnded(second, AbortSignal.timeout(1_000));
  comes(first.id, undefined);
  expect([queue.get(first.id), queue.isAsWritten(first.id)]).toEqual([undefined, true]);
});

test("each import of a list gets a place behind all others", () => {
  const { queue } = setup([importOf({ queuedAtMs: 5_000 })]);
  expect([queue.nextPlaceMs("aud_1", 1_000), queue.nextPlaceMs("aud_1", 9_000)]).toEqual([5_001, 9_000]);
  expect(queue.nextPlaceMs("other", 1_000)).toBe(1_000);
});
