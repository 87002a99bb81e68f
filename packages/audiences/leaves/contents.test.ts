import { describe, expect, test } from "@jest/globals";
import { parseCallFilter } from "../definition/call-filter.ts";
import { passesFilter } from "./call-filter.ts";
import { Contents } from "./contents.ts";
import { SuffixIndex } from "./suffix-index.ts";

/** As a call's text is: no rope of the parts that it was made of. */
const flat = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** The same numbers in each run. */
function createRandom(): (below: number) => number {
  let state = 1;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function fibonacci(length: number): string {
  let [a, b] = ["a", "ab"];
  while (b.length < length) [a, b] = [b, b + a];
  return flat(b.slice(0, length));
}

const random = createRandom();
const letters = (length: number, of: string): string =>
  flat(Array.from({ length }, () => of[random(of.length)]).join(""));

const TEXTS: readonly [string, string][] = [
  ["one letter", flat("a".repeat(5_000))],
  ["two letters", letters(5_000, "ab")],
  ["words", letters(5_000, "abcdefghij klmnop")],
  ["more than bytes", letters(5_000, "aé€𝄞\u0000\uFFFF")],
  ["a word of Fibonacci", fibonacci(5_000)],
  ["a period of 300", flat(letters(300, "ab").repeat(17))],
  ["few characters", letters(280, "a")],
];

describe("whether a text has a part", () => {
  test.each(TEXTS)("is what includes says, of %s, before the text is indexed and after", (_, text) => {
    const contents = new Contents();
    for (let round = 0; round < 400; round += 1) {
      const start = random(text.length);
      const found = text.slice(start, start + 1 + random(1_000));
      const middle = random(found.length);
      const other = `${found.slice(0, middle)}b${found.slice(middle + 1)}`;
      for (const part of [found, other, `${found}~`])
        if (part.length <= 1_000) expect(contents.textHas(text, part)).toBe(text.includes(part));
    }
  });

  test("is asked of an index once a text that repeats itself makes a long part costly, or after twenty searches", () => {
    const contents = new Contents();
    const parts = Array.from({ length: 21 }, (_, index) => `part ${index}`);
    const text = letters(5_000, "abcd");
    for (const part of parts.slice(1)) contents.textHas(text, part);
    expect(contents.indexed).toBe(0);
    contents.textHas(text, parts[0] ?? "");
    expect(contents.indexed).toBe(1);
    contents.textHas(flat("a".repeat(5_000)), `${"a".repeat(500)}b`);
    expect(contents.indexed).toBe(2);
  });

  test("is not compared again and again with remembered texts that are like it but for their end", () => {
    const texts = Array.from(
      { length: 8 },
      (_, index) => `${"é".repeat(15_000)}${"€".repeat(15_000)}${index}`,
    );
    const [first = ""] = texts;
    const parts = Array.from({ length: 100 }, (_, index) => `${"€".repeat(500)}${index}${"€".repeat(400)}`);
    const search = (contents: Contents, text: string): void => {
      for (const part of parts) contents.textHas(text, part);
    };
    const contents = new Contents();
    for (const text of texts) search(contents, flat(text));
    expect([contents.indexed, contents.lookUps]).toEqual([8, 8]);
    const text = flat(first);
    for (let round = 0; round < 10; round += 1) search(contents, text);
    expect(contents.lookUps).toBe(9);
  });

  test("is found out without remembering more texts than a profile has", () => {
    const contents = new Contents();
    for (let index = 0; index < 100; index += 1) {
      const text = `${index}${"a".repeat(30_000)}`;
      expect(contents.textHas(text, `${"a".repeat(500)}b`)).toBe(false);
      expect(contents.indexed).toBeLessThan(10);
    }
  });
});

test("whether a list has an element is what includes says", () => {
  const contents = new Contents();
  const list: unknown[] = Array.from({ length: 2_000 }, (_, index) =>
    index % 2 === 0 ? index : String(index),
  );
  for (const element of [0, "0", 1, "1", 1_998, "1999", true, -1])
    expect(contents.listHas(list, element)).toBe(list.includes(element));
});

describe("the worst filter of the time before definitions had a bound takes one call of 31 KB", () => {
  const filterOf = (value: (index: number) => string) => {
    const where = (from: number) =>
      Array.from({ length: 20 }, (_, index) => ({
        path: "properties.text",
        op: "not_contains",
        value: value(from + index),
      }));
    const reading = parseCallFilter({
      all: Array.from({ length: 20 }, (_, index) => ({ event: "Read", where: where(20 * index) })),
    });
    if (!reading.ok) throw new Error("refused");
    return reading.definition;
  };
  const a = (count: number): string => "a".repeat(count);
  const numbered = (index: number): string => String(index).padStart(3, "0");

  test.each([
    [
      "400 parts of 1,000 characters that nearly match everywhere",
      (i: number) => `${a(480)}${numbered(i)}${a(500)}`,
    ],
    ["400 parts that begin otherwise", (i: number) => `${numbered(i)}${a(900)}`],
    ["400 parts that end otherwise", (i: number) => `${a(900)}${numbered(i)}`],
    ["400 short parts", (i: number) => `${a(3)}${numbered(i)}`],
  ])("%s: in less than a tenth of a second of CPU time", (_, value) => {
    const filter = filterOf(value);
    const ms = Array.from({ length: 5 }, (_, round) => {
      const root = JSON.parse(
        JSON.stringify({ type: "track", event: "Read", properties: { text: `${round}${a(30_000)}` } }),
      );
      const before = process.cpuUsage();
      expect(passesFilter(filter, root)).toBe(true);
      return process.cpuUsage(before).user / 1_000;
    });
    // The first ones run code that is not compiled yet.
    expect(Math.min(...ms)).toBeLessThan(100);
  });
});

test("a hundred short texts that repeat themselves cost little more than one that is as long as all of them", () => {
  const part = `${"a".repeat(250)}b`;
  const where = Array.from({ length: 100 }, (_, index) => ({
    path: `properties.text${index}`,
    op: "not_contains",
    value: part,
  }));
  const reading = parseCallFilter({
    all: Array.from({ length: 5 }, (_, at) => ({ event: "Read", where: where.slice(20 * at, 20 * at + 20) })),
  });
  if (!reading.ok) throw new Error("refused");
  const { definition } = reading;
  const ofShort = leastCpuMs((round) => {
    const properties = Object.fromEntries(
      where.map((_, index) => [`text${index}`, `${"a".repeat(255)}${100 * round + index}`]),
    );
    const root = JSON.parse(JSON.stringify({ type: "track", event: "Read", properties }));
    return () => expect(passesFilter(definition, root)).toBe(true);
  });
  const ofLong = leastCpuMs((round) => {
    const text = flat(`${round}${"a".repeat(25_800)}`);
    return () => expect(new SuffixIndex(text).includes(part)).toBe(false);
  });
  // 1.2 to 1.6; 6 with an index that costs the same for each text.
  expect(ofShort / ofLong).toBeLessThan(4);
});

/** Of five rounds: the first ones run code that is not compiled yet. `prepare` returns what is measured. */
function leastCpuMs(prepare: (round: number) => () => void): number {
  const rounds = Array.from({ length: 5 }, (_, round) => {
    const work = prepare(round);
    const before = process.cpuUsage();
    work();
    const { system, user } = process.cpuUsage(before);
    // Linux shares the sum out by ticks: one of the two alone may be 0.
    return (user + system) / 1_000;
  });
  return Math.min(...rounds);
}
