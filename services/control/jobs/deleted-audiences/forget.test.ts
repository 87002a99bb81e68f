// What goes of deleted audiences, in a world that dies in front of each durable step.
import { expect, test } from "@jest/globals";
import {
  type AudienceConfig,
  type AudienceProgress,
  audienceProgressKey,
  type MembershipImport,
} from "#topics";
import { StaleEdit } from "../../records/sole-writer.ts";
import { createAudience, deleteAudience } from "../../resources/audiences/audience.ts";
import { progressOf } from "../../resources/audiences/fixtures/progress.ts";
import { importOf as imported } from "../imports/fixtures/import.ts";
import { applied } from "../imports/import.ts";
import { forgetDeleted, openDeletedAudiences } from "./open.ts";

const PARTITIONS = 2;
const DELETED_AT_MS = 1_000;
const LATER_MS = 5_000;

const audience = (id: string, definition: unknown = { event: "A" }): AudienceConfig =>
  createAudience({ id, resource: "audience", key: id, name: id, definition }, 1);
const deleted = (id: string, definition?: unknown) =>
  deleteAudience(audience(id, definition), true, DELETED_AT_MS);

const importOf = (audienceId: string, importId: string) => imported({ audienceId, importId, nowMs: 900 });

class World {
  readonly configs: Map<string, AudienceConfig>;
  readonly progress = new Map<string, AudienceProgress>();
  readonly imports = new Map<string, MembershipImport>();
  stepsLeft = Number.POSITIVE_INFINITY;
  refreshed = 0;
  /** Ids that another process edits at the same time. */
  readonly edited = new Set<string>();

  constructor(...configs: readonly AudienceConfig[]) {
    this.configs = new Map(configs.map((config) => [config.id, config]));
  }

  says(id: string, states: readonly string[]): this {
    for (const [partition, state] of states.entries()) {
      const row = progressOf(id, partition, { state });
      this.progress.set(audienceProgressKey(row), row);
    }
    return this;
  }

  #step(change: () => void): Promise<void> {
    if (this.stepsLeft < 1) return Promise.reject(new Error("died"));
    this.stepsLeft -= 1;
    change();
    return Promise.resolve();
  }

  look(beforeMs = DELETED_AT_MS + 1): Promise<void> {
    const refresh = async (): Promise<void> => {
      this.refreshed += 1;
    };
    const parts = {
      audiences: {
        list: () => [...this.configs.values()],
        refresh,
        rewrite: ({ after, before }: { before: AudienceConfig | undefined; after: AudienceConfig }) => {
          if (this.edited.has(after.id)) return Promise.reject(new StaleEdit(after.id));
          expect(before).toBe(this.configs.get(after.id));
          return this.#step(() => void this.configs.set(after.id, after));
        },
      },
      audienceProgress: { get: (key: string) => this.progress.get(key), load: refresh },
      profilePartitions: PARTITIONS,
      imports: {
        all: () => this.imports.values(),
        refresh,
        remove: (ids: readonly string[]) =>
          this.#step(() => {
            for (const id of ids) this.imports.delete(id);
          }),
      },
      isFirstOwner: () => true,
    };
    return forgetDeleted(parts, beforeMs, () => LATER_MS);
  }

  get forgotten(): string[] {
    return [...this.configs.values()].flatMap(({ id, isForgotten }) => (isForgotten ? [id] : []));
  }
}

test("of an audience that every partition has let go of the key is left", async () => {
  const world = new World(deleted("a"), audience("b")).says("a", ["deleted", "deleted"]);
  await world.look();
  const { createdAtMs, definition, deletedAtMs, isForgotten, key, kind, name } = world.configs.get(
    "a",
  ) as AudienceConfig;
  expect({ createdAtMs, definition, deletedAtMs, isForgotten, key, kind, name }).toEqual({
    createdAtMs: 1,
    definition: null,
    deletedAtMs: DELETED_AT_MS,
    isForgotten: true,
    key: "a",
    kind: "list",
    name: "",
  });
  expect(world.configs.get("b")).toEqual(audience("b"));
});

test.each([
  ["a partition that is not through", ["deleted", "preparing"]],
  ["a partition that has said nothing", ["deleted"]],
  ["a partition in which it is live", ["live", "deleted"]],
])("%s keeps it", async (_, states) => {
  const world = new World(deleted("a")).says("a", states);
  await world.look();
  expect([world.forgotten, world.refreshed]).toEqual([[], 0]);
});

test("it is kept for its time, and so are imports that have ended later", async () => {
  const world = new World(deleted("l")).says("l", ["deleted", "deleted"]);
  world.imports.set("l:1", applied(importOf("l", "1"), DELETED_AT_MS + 10));
  await world.look(DELETED_AT_MS);
  expect([world.forgotten, world.imports.size]).toEqual([[], 1]);
  await world.look(DELETED_AT_MS + 1);
  expect([world.forgotten, world.imports.size]).toEqual([["l"], 1]);
  // Its list is forgotten by then.
  await world.look(DELETED_AT_MS + 11);
  expect(world.imports.size).toBe(0);
});

test("one that another deleted audience names is kept until that has gone", async () => {
  const world = new World(deleted("a"), deleted("b", { audience: "a" })).says("a", ["deleted", "deleted"]);
  await world.look();
  expect(world.forgotten).toEqual([]);
  world.says("b", ["deleted", "deleted"]);
  await world.look();
  expect(world.forgotten).toEqual(["b"]);
  await world.look();
  expect(world.forgotten).toEqual(["a", "b"]);
});

test("imports of lists that are there stay, as does one that is under way, or whose list is not known", async () => {
  const world = new World(deleted("l"), audience("there"));
  for (const one of [importOf("there", "1"), importOf("gone", "1")])
    world.imports.set(one.id, applied(one, 901));
  world.imports.set("l:staged", importOf("l", "staged"));
  world.imports.set("l:held", { ...importOf("l", "held"), state: "held" });
  await world.look();
  expect([...world.imports.keys()]).toEqual(["there:1", "gone:1", "l:staged"]);
});

test("a death in front of any step leaves what the next look finishes; an edit by another process is left to it", async () => {
  for (let steps = 0; steps < 3; steps += 1) {
    const world = new World(deleted("l"), deleted("m"), deleted("n"));
    for (const id of ["l", "m", "n"]) world.says(id, ["deleted", "deleted"]);
    world.imports.set("l:1", applied(importOf("l", "1"), 901));
    world.edited.add("n");
    world.stepsLeft = steps;
    await expect(world.look()).rejects.toThrow("died");
    world.stepsLeft = Number.POSITIVE_INFINITY;
    await world.look();
    expect([world.forgotten, world.imports.size]).toEqual([["l", "m"], 0]);
  }
});

test.each([
  [0, 1_000],
  [60_000, 60_000],
  [7 * 86_400_000, 3_600_000],
])("what is kept for %i ms is looked for every %i ms", (keptMs, everyMs) => {
  const found: number[] = [];
  const context = {
    host: { setInterval: (_: unknown, ms: number) => found.push(ms) },
    lifecycle: { onStop: () => undefined },
    settings: { deletedAudiences: { keptMs }, switch: { hasAudiences: true } },
  };
  openDeletedAudiences(context as never, {} as never);
  expect(found).toEqual([everyMs]);
});
