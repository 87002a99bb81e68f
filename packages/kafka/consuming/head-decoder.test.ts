import { beforeEach, describe, expect, test } from "@jest/globals";
import { settled, TestHost } from "#testing/host";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { record } from "../fixtures/stub-session.ts";
import { HeadDecoder } from "./head-decoder.ts";
import { type Held, hold } from "./held.ts";

let recorder: ReturnType<typeof recordingLogger>;
/** The results of decoding, in order. */
let answers: (() => string | Promise<string>)[];
let decoded: number;
let ready: number;
let retries: number[];
let decoder: HeadDecoder<string>;
let head: Held<string>;

beforeEach(() => {
  recorder = recordingLogger();
  [answers, retries, decoded, ready] = [[], [], 0, 0];
  head = hold(record(1, 7));
  decoder = new HeadDecoder({
    decode: () => {
      decoded += 1;
      return answers.shift()?.() ?? "value";
    },
    logger: recorder.logger,
    host: new TestHost(),
    onReady: () => {
      ready += 1;
    },
    onFailed: (_, retryInMs) => void retries.push(retryInMs),
  });
});

const fails = (error: Error) => () => {
  throw error;
};
const poison = Object.assign(new Error("bad bytes"), { canRetry: false });

describe("decoding the head", () => {
  test("is done once, at once where that can be", () => {
    expect([decoder.isDecoded(head), decoder.isDecoded(head), decoded]).toEqual([true, true, 1]);
    expect(head.received).toEqual({ ...head.record, decoded: "value" });
    expect([ready, retries]).toEqual([0, []]);
  });

  test("is waited for once, and reports when it may be looked at again", async () => {
    const answer = Promise.withResolvers<string>();
    answers.push(() => answer.promise);
    expect([decoder.isDecoded(head), decoder.isDecoded(head), decoded]).toEqual([false, false, 1]);
    answer.resolve("late");
    await settled();
    expect([decoder.isDecoded(head), head.received?.decoded, decoded, ready]).toEqual([true, "late", 1, 1]);
  });

  test("of bytes that are bad is not tried again, at once or after a wait", async () => {
    answers.push(fails(poison), () => Promise.reject(poison));
    expect([decoder.isDecoded(head), decoder.isDecoded(head), head.poison, decoded]).toEqual([
      true,
      true,
      poison,
      1,
    ]);
    const next = hold<string>(record(1, 8));
    expect(decoder.isDecoded(next)).toBe(false);
    await settled();
    expect([decoder.isDecoded(next), next.poison, decoded, ready]).toEqual([true, poison, 2, 1]);
    expect([retries, recorder.lines]).toEqual([[], []]);
  });

  test("that fails for now is tried again after a growing while, and said at the first, the second, the fourth time", async () => {
    const away = new Error("registry away");
    for (let failures = 1; failures <= 5; failures += 1) answers.push(fails(away));
    for (let tries = 1; tries <= 5; tries += 1) expect(decoder.isDecoded(head)).toBe(false);
    expect(retries).toEqual([100, 200, 400, 800, 1_600]);
    const facts = { topic: "t", partition: 1, offset: 7, error: "registry away" };
    expect(recorder.lines).toEqual(
      [1, 2, 4].map((failures) => ({
        level: "warn",
        fields: { ...facts, failures },
        message: expect.stringContaining("cannot be decoded yet"),
      })),
    );
    answers.push(() => "value", fails(away));
    expect(decoder.isDecoded(head)).toBe(true);
    decoder.isDecoded(hold(record(1, 8)));
    expect(retries.at(-1)).toBe(100);
  });
});
