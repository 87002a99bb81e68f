import type { Readable } from "node:stream";
import { describe, expect, test } from "@jest/globals";
import { LIVE_BOUNDS, Listeners, type LiveBounds } from "./listeners.ts";

/** Listeners whose time is the test's. */
function open(bounds: Partial<LiveBounds> = {}) {
  const clock = { ms: 0 };
  const beats = new Set<() => void>();
  const late = new Set<() => void>();
  const watched: boolean[] = [];
  const timerIn = (works: Set<() => void>) => (work: () => void) => {
    works.add(work);
    return { clear: () => void works.delete(work) };
  };
  const listeners = new Listeners({
    host: { elapsed: () => clock.ms, setInterval: timerIn(beats), setTimeout: timerIn(late) },
    onSourcesWatched: (isWatched) => void watched.push(isWatched),
    bounds: { ...LIVE_BOUNDS, ...bounds },
  });
  const run = (works: Set<() => void>) => () => {
    for (const work of works) work();
  };
  return { beat: run(beats), beats, clock, giveUp: run(late), listeners, watched };
}

const accepted = (sourceId: string, n = 0) => ({ name: "accepted", sourceId, data: () => ({ n }) }) as const;
const delivery = (sourceId: string, destinationId: string) =>
  ({ name: "delivery", sourceId, destinationId, data: () => ({}) }) as const;

/** Everything that it was told and has not been read. */
const textOf = (stream: Readable): string => String(stream.read() ?? "");
const namesOf = (stream: Readable): string[] =>
  [...textOf(stream).matchAll(/^event: (.+)$/gm)].map(([, name = ""]) => name);
const closed = (stream: Readable): Promise<void> =>
  new Promise((resolve) => void stream.once("close", () => resolve()));

test("a token has some of the places, and the others stay free for other tokens", () => {
  const { listeners } = open({ listeners: 3, listenersOfToken: 2 });
  const streams = [1, 2].map(() => listeners.listen({ sourceId: "s1" }, "dashboard"));
  expect(() => listeners.listen({ sourceId: "s1" }, "dashboard")).toThrow(
    /2 listen already with the token dashboard/,
  );
  listeners.listen({ sourceId: "s1" }, "ops");
  expect(() => listeners.listen({ sourceId: "s1" }, "ci")).toThrow(/3 listen already/);
  streams[0]?.destroy();
});

describe("a listener", () => {
  test("is told what happens at its source, or its destination, and nothing else", () => {
    const { listeners } = open();
    const source = listeners.listen({ sourceId: "s1" }, "ops");
    const destination = listeners.listen({ destinationId: "d1" }, "ops");
    listeners.begun();
    listeners.begun();
    for (const event of [accepted("s1"), accepted("s2"), delivery("s1", "d2"), delivery("s2", "d1")])
      listeners.tell(event);
    expect(textOf(source)).toBe(
      'event: listening\ndata: {"eventsPerSecond":50}\n\nevent: accepted\ndata: {"n":0}\n\nevent: delivery\ndata: {}\n\n',
    );
    expect(namesOf(destination)).toEqual(["listening", "delivery"]);
  });

  test("is told so many events a second, and how many there were beside them", () => {
    const { clock, listeners } = open({ eventsPerSecond: 2 });
    const stream = listeners.listen({ sourceId: "s1" }, "ops");
    for (let n = 0; n < 5; n += 1) listeners.tell(accepted("s1", n));
    expect(namesOf(stream)).toEqual(["accepted", "accepted"]);
    listeners.passedOver(7);
    clock.ms = 1_000;
    listeners.tell(accepted("s1", 5));
    expect(textOf(stream)).toBe(
      'event: left_out\ndata: {"events":3,"records":7}\n\nevent: accepted\ndata: {"n":5}\n\n',
    );
  });

  test("that does not read holds no more than its bound, heartbeats included", () => {
    const { beat, clock, listeners } = open({ heldCharacters: 100 });
    const stream = listeners.listen({ sourceId: "s1" }, "ops");
    for (let n = 0; n < 100; n += 1) {
      clock.ms += 1_000;
      listeners.tell(accepted("s1", n));
      beat();
    }
    expect(stream.readableLength).toBeLessThan(200);
    expect(textOf(stream)).toContain(": heartbeat\n\n");
    beat();
    expect(textOf(stream)).toMatch(
      /^event: left_out\ndata: \{"events":9\d,"records":0\}\n\n: heartbeat\n\n$/,
    );
  });

  test("is refused when there are too many, until one has gone", async () => {
    const { listeners } = open({ listeners: 1 });
    const first = listeners.listen({ sourceId: "s1" }, "ops");
    expect(() => listeners.listen({ sourceId: "s1" }, "ops")).toThrow(/1 listen already/);
    first.destroy();
    await closed(first);
    listeners.listen({ sourceId: "s1" }, "ops");
  });
});

test("sources are watched from their first listener to their last, and a destination's listener watches none", async () => {
  const { beats, listeners, watched } = open();
  const streams = [{ destinationId: "d" }, { sourceId: "a" }, { sourceId: "b" }].map((subject) =>
    listeners.listen(subject as { sourceId: string }, "ops"),
  );
  expect([...listeners.sourceIds]).toEqual(["a", "b"]);
  expect(beats.size).toBe(3);
  for (const stream of streams) {
    stream.destroy();
    await closed(stream);
  }
  expect(watched).toEqual([true, false]);
  expect([beats.size, listeners.isWatched]).toEqual([0, false]);
});

test("who listens can be sent away, and may come again", async () => {
  const { listeners } = open();
  const stream = listeners.listen({ sourceId: "s1" }, "ops");
  stream.resume();
  await listeners.disconnect();
  expect([stream.readableEnded, listeners.isWatched]).toEqual([true, false]);
  listeners.listen({ sourceId: "s1" }, "ops");
  expect(listeners.isWatched).toBe(true);
});

describe("the end", () => {
  test("comes when every listener has read its own, and nobody is told anything after it", async () => {
    const { listeners } = open();
    const stream = listeners.listen({ sourceId: "s1" }, "ops");
    const end = listeners.end();
    listeners.tell(accepted("s1"));
    listeners.begun();
    expect(textOf(stream)).toBe("");
    await end;
    expect(() => listeners.listen({ sourceId: "s1" }, "ops")).toThrow("the service is ending");
  });

  test("cuts off who does not read", async () => {
    const { giveUp, listeners } = open();
    const stream = listeners.listen({ sourceId: "s1" }, "ops");
    listeners.tell(accepted("s1"));
    const end = listeners.end();
    giveUp();
    await end;
    expect(stream.destroyed).toBe(true);
  });
});
