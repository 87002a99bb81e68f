import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { EditLock, Topic } from "#topics";
import type { AuditedChange } from "../audit/audit.ts";
import { createChangeQueue } from "../change-queue.ts";
import type { ConfigStore } from "../config-store.ts";
import { ProblemError } from "../http/problem.ts";
import { EditLocks } from "./edit-locks.ts";
import { createEditedStore, type EditedStore } from "./edited-store.ts";
import { checkIfMatch, entityTag } from "./entity-tag.ts";

const BY = { token: "ci", requestId: "r1" };

interface Thing {
  readonly id: string;
  readonly text: string;
}

/** What Kafka is to the processes: what was written, in one order, and read by each when it looks. */
function createWorld() {
  const audited: AuditedChange[] = [];
  const values: Thing[] = [{ id: "a", text: "first" }];
  const locked: EditLock[] = [];
  const processes: { readLocks(): void }[] = [];
  return {
    values,
    locked,
    audited,
    /** Runs before a lock is written, once. */
    beforeLock: undefined as (() => Promise<void>) | undefined,
    process(holder: string): EditedStore<Thing> {
      let known: Thing | undefined = values.at(-1);
      const locks = new EditLocks();
      let read = 0;
      let number = 0;
      const readLocks = (): void => {
        for (const lock of locked.slice(read)) locks.observe(lock);
        read = locked.length;
      };
      processes.push({ readLocks });
      const store = {
        get: () => known,
        refresh: async () => {
          known = values.at(-1);
        },
        put: async (value: Thing) => {
          values.push(value);
          known = value;
        },
      } as unknown as ConfigStore<Thing>;
      const audit = { record: async (change: AuditedChange) => void audited.push(change) };
      const entries = { store, audit, resourceOf: () => "source" as const, show: (value: Thing) => value };
      return createEditedStore<Thing>(entries, {
        locks,
        topic: { name: "edit-locks" } as Topic<"edit-lock">,
        table: { until: async (holds) => void expect(holds()).toBe(true) },
        producer: {
          send: async ([record]) => {
            const first = this.beforeLock;
            this.beforeLock = undefined;
            await first?.();
            locked.push(JSON.parse(String(record?.value)) as EditLock);
            for (const one of processes) one.readLocks();
          },
        },
        serde: { encode: (_, lock) => Buffer.from(JSON.stringify(lock)) },
        holder,
        nextNumber: () => ++number,
        host: systemHost,
        nowMs: () => 0,
      });
    },
  };
}

const edit = (store: EditedStore<Thing>, text: string, ifMatch?: string): Promise<void> =>
  createChangeQueue(systemHost).run(async () => {
    const before = store.get("a");
    checkIfMatch(ifMatch, before ?? {});
    await store.replace({ before, after: { id: "a", text: `${before?.text}, ${text}` }, by: BY });
  });

test("of two processes that change one version at once one writes, and the other begins again from what that wrote", async () => {
  const world = createWorld();
  const [p, q] = [world.process("p"), world.process("q")];
  // Both have read the first version; the other one's whole edit happens before this one's lock.
  world.beforeLock = () => edit(q, "by q");
  await edit(p, "by p");
  expect(world.values.map(({ text }) => text)).toEqual(["first", "first, by q", "first, by q, by p"]);
});

test("the audit log has a change before it is written, and none that was not", async () => {
  const world = createWorld();
  const [p, q] = [world.process("p"), world.process("q")];
  const seen = entityTag(world.values[0] ?? {});
  world.beforeLock = () => edit(q, "by q", seen);
  await expect(edit(p, "by p", seen)).rejects.toThrow();
  const change = { by: BY, action: "updated", resource: "source", resourceId: "a" };
  expect(world.audited).toEqual([
    { ...change, before: { id: "a", text: "first" }, after: { id: "a", text: "first, by q" } },
  ]);
  world.audited.push = () => {
    throw new Error("Kafka is away");
  };
  await expect(edit(q, "unseen")).rejects.toThrow("away");
  expect(world.values.at(-1)?.text).toBe("first, by q");
});

test("with If-Match the other one is refused, and changes nothing", async () => {
  const world = createWorld();
  const [p, q] = [world.process("p"), world.process("q")];
  const seen = entityTag(world.values[0] ?? {});
  world.beforeLock = () => edit(q, "by q", seen);
  await expect(edit(p, "by p", seen)).rejects.toMatchObject({ kind: "precondition_failed" });
  expect(world.values.map(({ text }) => text)).toEqual(["first", "first, by q"]);
});

test("what another process has locked and not written is waited for, and not overwritten", async () => {
  const world = createWorld();
  const [p, q] = [world.process("p"), world.process("q")];
  const { promise, resolve } = Promise.withResolvers<void>();
  let told: unknown;
  // Its lock is the first; its write comes after the other one has asked.
  world.beforeLock = async () => {
    world.locked.push({
      id: "a",
      version: entityTag(world.values[0] ?? {}),
      holder: "q",
      number: 1,
      atMs: 0,
    });
    resolve();
  };
  const waiting = edit(p, "by p").catch((error: unknown) => {
    told = error;
  });
  await promise;
  await edit(q, "by q");
  await waiting;
  expect(told).toBeUndefined();
  expect(world.values.map(({ text }) => text)).toEqual(["first", "first, by q", "first, by q, by p"]);
});

test("an edit that never gets its turn is refused after a while, with nothing written", async () => {
  const world = createWorld();
  const p = world.process("p");
  world.locked.push({
    id: "a",
    version: entityTag(world.values[0] ?? {}),
    holder: "dead",
    number: 1,
    atMs: 0,
  });
  const refused = createChangeQueue(systemHost, 100).run(() =>
    p.replace({ before: p.get("a"), after: { id: "a", text: "by p" }, by: BY }),
  );
  await expect(refused).rejects.toMatchObject({ kind: "unavailable" });
  expect(world.values).toHaveLength(1);
});

test("an entity tag does not depend on the order of fields, and does on everything else", () => {
  expect(entityTag({ a: 1, b: { c: 2, d: [3] } })).toBe(entityTag({ b: { d: [3], c: 2 }, a: 1 }));
  expect(entityTag({ a: [1, 2] })).not.toBe(entityTag({ a: [2, 1] }));
  expect(entityTag({ a: 1 })).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
});

test.each([
  ["none", undefined, true],
  ["any", "*", true],
  ["its own", '"own"', true],
  ["several, one its own", '"x", "own"', true],
  ["another", '"x"', false],
  ["its own, weak", 'W/"own"', false],
])("If-Match with %s", (_, given, passes) => {
  const thing = { id: "a" };
  const check = () => checkIfMatch(given?.replace('"own"', entityTag(thing)), thing);
  if (passes) expect(check).not.toThrow();
  else expect(check).toThrow(ProblemError);
});
