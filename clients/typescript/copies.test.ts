// Hookline knows copies for 24 hours: what a beacon took is sent again until then, and later only when it is not likely to have arrived.
import { expect, test } from "@jest/globals";
import { type WebStorage, webStorage } from "./store.ts";
import { memoryStorage } from "./testing/stores.ts";
import { hang, status, unreachable, World } from "./testing/world.ts";

const HOUR_MS = 3_600_000;

interface Visit {
  /** Since the world's beginning, when the first page tracks five messages. */
  readonly atMs: number;
  /** How large each of the five is. */
  readonly bytes?: number;
  /** Whether the endpoint has answered once by then. */
  readonly isAnswered?: boolean;
  /** How the page is left before the endpoint answers; otherwise it is closed in order. */
  readonly leave?: (page: World) => void;
}

/** What a visit sends of what was left, and what it hands back. */
async function visit(storage: WebStorage, { atMs, bytes = 10, isAnswered = true, leave }: Visit) {
  const page = new World({ isPage: true });
  await page.pass(atMs);
  const client = page.client({ store: webStorage(storage) });
  const track = (messageId: string) =>
    client.track({ userId: "u", event: "E", messageId, properties: { pad: "x".repeat(bytes) } });
  if (atMs === 0 && isAnswered) {
    track("first");
    await page.until(client.flush());
  }
  if (atMs === 0) for (let i = 0; i < 5; i++) track(`m${i}`);
  if (leave !== undefined) page.answers.push(hang);
  leave?.(page);
  await page.settle();
  page.hidePage();
  if (leave === undefined) await page.until(client.close());
  return {
    sent: page.requests.flatMap(({ batch }) => batch.map(({ messageId }) => messageId)),
    handedBack: page.failures.map(({ messageId, reason }) => `${messageId} ${reason.kind}`),
  };
}

const ALL = ["m0", "m1", "m2", "m3", "m4"];
const hide = (page: World): void => page.hidePage();

test("what a beacon took is sent again as long as Hookline knows the first copy, and then handed back", async () => {
  const storage = memoryStorage();
  await visit(storage, { atMs: 0, leave: hide });
  expect((await visit(storage, { atMs: 23 * HOUR_MS, leave: hide })).sent).toEqual(ALL);
  const handedBack = ALL.map((id) => `${id} copied`);
  expect(await visit(storage, { atMs: 25 * HOUR_MS })).toEqual({ sent: [], handedBack });
  expect(storage.entries.size).toBe(0);
});

test.each<[string, Omit<Visit, "atMs">]>([
  ["without a network", { leave: (page) => (page.isOnline = false) }],
  [
    "before the endpoint did not answer",
    { leave: (page) => [hide(page), page.answers.splice(0, 1, unreachable)] },
  ],
  ["before the first answer", { leave: hide, isAnswered: false }],
])("what a beacon took %s is sent again at any time", async (_, how) => {
  const storage = memoryStorage();
  await visit(storage, { atMs: 0, ...how });
  expect(await visit(storage, { atMs: 99 * HOUR_MS })).toEqual({ sent: ALL, handedBack: [] });
});

test("of a batch of several beacons those count that the browser took", async () => {
  const storage = memoryStorage();
  await visit(storage, { atMs: 0, bytes: 25_000, leave: hide });
  expect(await visit(storage, { atMs: 25 * HOUR_MS })).toEqual({
    sent: ["m2", "m3", "m4"],
    handedBack: ["m0 copied", "m1 copied"],
  });
});

test("what a beacon took is not sent once Hookline does not know the copy any more, however long a client tries", async () => {
  const storage = memoryStorage();
  await visit(storage, { atMs: 0, leave: hide });
  const world = new World();
  await world.pass(23 * HOUR_MS);
  world.answers.push(...Array.from({ length: 99 }, () => status(503, { "retry-after": "300" })));
  const client = world.client({ store: webStorage(storage) });
  client.track({ userId: "u", event: "New", messageId: "new" });
  await world.pass(3 * HOUR_MS);
  const late = world.requests.filter(({ atMs }) => atMs > 24 * HOUR_MS);
  expect(late.flatMap(({ batch }) => batch).every(({ messageId }) => messageId === "new")).toBe(true);
  expect(world.failures.map(({ messageId }) => messageId)).toEqual(ALL);
  expect(storage.entries.size).toBe(1);
  await world.until(client.close());
});
