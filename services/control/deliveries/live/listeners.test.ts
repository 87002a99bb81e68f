import type { Readable } from "node:stream";
import { describe, expect, test } from "@jest/globals";
import { LIVE_BOUNDS, Listeners, type LiveBounds } from "./listeners.ts";

const OPS = { token: "ops" };

/** Listeners whose time is the test's. */
function open(bounds: Partial<LiveBounds> = {}) {
  const clock = { ms: 0 };
  const beats = new Set<() => void>();
  const late = new Set<() => void>();
  const watched: boolean[] = [];
  let runs = 0;
  const timerIn = (works: Set<() => void>) => (work: () => void) => {
    works.add(work);
    return { clear: () => void works.delete(work) };
  };
  const listeners = new Listeners({
    host: {
      elapsed: () => clock.ms,
      setInterval: timerIn(beats),
      setTimeout: timerIn(late),
      uuid() {
        runs += 1;
        return `run${runs}`;
      },
    },
    onSourcesWatched: (isWatched) => void watched.push(isWatched),
    bounds: { ...LIVE_BOUNDS, ...bounds },
  });
  const run = (works: Set<() => void>) => () => {
    for (const work of works) work();
  };
  return { beat: run(beats), beats, clock, giveUp: run(late), late, listeners, watched };
}

const accepted = (sourceId: string, n = 0) => ({ name: "accepted", sourceId, data: () => ({ n }) }) as const;
const delivery = (sourceId: string, destinationId: string) =>
  ({ name: "delivery", sourceId, destinationId, data: () => ({}) }) as const;

/** Everything that it was told and has not been read. */
const textOf = (stream: Readable): string => String(stream.read() ?? "");
const namesOfText = (text: string): string[] =>
  [...text.matchAll(/^event: (.+)$/gm)].map(([, name = ""]) => name);
const namesOf = (stream: Readable): string[] => namesOfText(textOf(stream));
const closed = (stream: Readable): Promise<void> =>
  new Promise((resolve) => void stream.once("close", () => resolve()));

test("a token has ten of the fifty places, and the others stay free for other tokens", () => {
  const { listeners } = open();
  const listen = (token: string) => listeners.listen({ sourceId: "s1" }, { token });
  const fill = (token: string) => Array.from({ length: 10 }, () => listen(token));
  const [first] = fill("dashboard");
  expect(() => listen("dashboard")).toThrow(/10 listen already with the token dashboard/);
  for (const token of ["ops", "a", "b", "c"]) fill(token);
  expect(() => listen("ci")).toThrow(/50 listen already/);
  first?.destroy();
});

test("a ticket that comes again and again ends the stream before once, however long that takes", () => {
  const { late, listeners } = open();
  const listen = () => listeners.listen({ sourceId: "s1" }, { ...OPS, ticketId: "t1" });
  const [first] = Array.from({ length: 20 }, listen);
  expect(late.size).toBe(19);
  expect(first?.listenerCount("close")).toBeLessThan(10);
});

describe("a listener", () => {
  test("is told what happens at its source, or its destination, and nothing else", () => {
    const { listeners } = open();
    const source = listeners.listen({ sourceId: "s1" }, OPS);
    const destination = listeners.listen({ destinationId: "d1" }, OPS);
    listeners.begun();
    listeners.begun();
    for (const event of [accepted("s1"), accepted("s2"), delivery("s1", "d2"), delivery("s2", "d1")])
      listeners.tell(event);
    expect(textOf(source)).toBe(
      'event: listening\ndata: {"eventsPerSecond":50}\nid: run1.0\n\nevent: accepted\ndata: {"n":0}\nid: run1.1\n\nevent: delivery\ndata: {}\nid: run1.2\n\n',
    );
    expect(namesOf(destination)).toEqual(["listening", "delivery"]);
  });

  test("is told so many events a second, and how many there were beside them", () => {
    const { clock, listeners } = open({ eventsPerSecond: 2 });
    const stream = listeners.listen({ sourceId: "s1" }, OPS);
    for (let n = 0; n < 5; n += 1) listeners.tell(accepted("s1", n));
    expect(namesOf(stream)).toEqual(["accepted", "accepted"]);
    listeners.passedOver(7);
    clock.ms = 1_000;
    listeners.tell(accepted("s1", 5));
    expect(textOf(stream)).toBe(
      'event: left_out\ndata: {"events":3,"records":7}\n\nevent: accepted\ndata: {"n":5}\nid: run1.3\n\n',
    );
  });

  test("that does not read holds no more than its bound, heartbeats included", () => {
    const { beat, clock, listeners } = open({ heldCharacters: 100 });
    const stream = listeners.listen({ sourceId: "s1" }, OPS);
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
    const first = listeners.listen({ sourceId: "s1" }, OPS);
    expect(() => listeners.listen({ sourceId: "s1" }, OPS)).toThrow(/1 listen already/);
    first.destroy();
    await closed(first);
    listeners.listen({ sourceId: "s1" }, OPS);
  });
});

test("sources are watched from their first listener until a while after their last, and a destination's listener watches none", async () => {
  const { beats, giveUp, listeners, watched } = open();
  const streams = [{ destinationId: "d" }, { sourceId: "a" }, { sourceId: "b" }].map((subject) =>
    listeners.listen(subject as { sourceId: string }, OPS),
  );
  expect([...listeners.sourceIds]).toEqual(["a", "b"]);
  expect(beats.size).toBe(3);
  for (const stream of streams) {
    stream.destroy();
    await closed(stream);
  }
  expect([watched, beats.size, listeners.isWatched]).toEqual([[true], 0, true]);
  giveUp();
  expect(watched).toEqual([true, false]);
  expect(listeners.isWatched).toBe(false);
});

describe("who comes back", () => {
  /** A listener that has had one event and is cut off, and what happens then. */
  async function cutOff(changes: Partial<LiveBounds> = {}) {
    const opened = open(changes);
    const first = opened.listeners.listen({ sourceId: "s1" }, OPS);
    opened.listeners.tell(accepted("s1", 0));
    const [, lastId = ""] = /^id: (.+)$/m.exec(textOf(first)) ?? [];
    first.destroy();
    await closed(first);
    return { ...opened, back: () => opened.listeners.listen({ sourceId: "s1" }, { ...OPS, lastId }) };
  }

  test("is told first what came meanwhile, then what comes", async () => {
    const { back, listeners } = await cutOff();
    listeners.tell(accepted("s1", 1));
    listeners.passedOver(3);
    const stream = back();
    listeners.begun();
    listeners.tell(accepted("s1", 2));
    const text = textOf(stream);
    expect(namesOfText(text)).toEqual(["accepted", "listening", "left_out", "accepted"]);
    expect(text).toContain('{"n":1}');
    expect(text).toContain('{"events":0,"records":3}');
  });

  test("is told how many there were that are held no more", async () => {
    const { back, listeners } = await cutOff({ heldCharacters: 14 });
    for (let n = 1; n < 5; n += 1) listeners.tell(accepted("s1", n));
    const text = textOf(back());
    expect(text).toContain('event: missed\ndata: {"events":2}');
    expect(text).toContain('{"n":3}');
  });

  test("too late is told that nobody knows how many there were", async () => {
    const { back, giveUp, listeners } = await cutOff();
    giveUp();
    listeners.tell(accepted("s1", 1));
    expect(textOf(back())).toBe('event: missed\ndata: {"events":null}\n\n');
  });
});

test("no more are held than may listen: what was left first is forgotten first", async () => {
  const { listeners } = open({ listeners: 2 });
  for (const sourceId of ["a", "b", "c"]) {
    const stream = listeners.listen({ sourceId }, OPS);
    stream.destroy();
    await closed(stream);
  }
  expect([...listeners.sourceIds]).toEqual(["b", "c"]);
});

test("who listens can be sent away, and may come again", async () => {
  const { listeners } = open();
  const stream = listeners.listen({ sourceId: "s1" }, OPS);
  stream.resume();
  await listeners.disconnect();
  expect(stream.readableEnded).toBe(true);
  expect(listeners.listen({ sourceId: "s1" }, OPS).readableEnded).toBe(false);
});

describe("the end", () => {
  test("comes when every listener has read its own, and nobody is told anything after it", async () => {
    const { listeners } = open();
    const stream = listeners.listen({ sourceId: "s1" }, OPS);
    const end = listeners.end();
    listeners.tell(accepted("s1"));
    listeners.begun();
    expect(textOf(stream)).toBe("");
    await end;
    expect(listeners.isWatched).toBe(false);
    expect(() => listeners.listen({ sourceId: "s1" }, OPS)).toThrow("the service is ending");
  });

  test("cuts off who does not read", async () => {
    const { giveUp, listeners } = open();
    const stream = listeners.listen({ sourceId: "s1" }, OPS);
    listeners.tell(accepted("s1"));
    const end = listeners.end();
    giveUp();
    await end;
    expect(stream.destroyed).toBe(true);
  });
});
