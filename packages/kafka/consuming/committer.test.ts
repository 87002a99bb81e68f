import { beforeEach, describe, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { KafkaError } from "../errors.ts";
import { type LogLine, recordingLogger } from "../fixtures/recording-logger.ts";
import type { PartitionOffset } from "../session.ts";
import { Committer } from "./committer.ts";

let host: TestHost;
/** The committable offset of the one partition. */
let place: number;
let sent: number[];
/** The metadata that was sent with the commits. */
let texts: (string | undefined)[];
let metadata: string | undefined;
let lines: readonly LogLine[];
/** The result of each try: whether it was sent. */
let answers: (() => Promise<boolean>)[];
/** The remedies that were asked for because commits fail. */
let remedies: string[];
let afterMs: number;
let acknowledged: number;
let committer: Committer;

beforeEach(() => {
  host = new TestHost();
  [place, sent, answers, remedies, acknowledged] = [0, [], [], [], 0];
  [metadata, texts, afterMs] = [undefined, [], 100];
  const recording = recordingLogger();
  ({ lines } = recording);
  committer = new Committer({
    logger: recording.logger,
    host,
    commitAfterMs: () => afterMs,
    isComplete: () => true,
    positions: () => [{ topic: "t", partition: 0, offset: place, metadata }],
    commit: async ([position]) => {
      sent.push(position?.offset ?? -1);
      texts.push(position?.metadata);
      return (await answers.shift()?.()) ?? true;
    },
    onCommitted: () => {
      acknowledged += 1;
    },
    onStuck: () => remedies.push("rejoin"),
    onStuckAgain: () => remedies.push("renew"),
  });
});

function done(offset: number): void {
  place = offset;
  committer.notice();
}

const notSent = (): Promise<boolean> => Promise.resolve(false);
const refused = (): Promise<boolean> =>
  Promise.reject(new KafkaError("unavailable", "no", { canRetry: true }));

describe("committer", () => {
  test("how soon is asked each time: it may change", async () => {
    afterMs = 1_000;
    done(1);
    await host.advance(999);
    expect(sent).toEqual([]);
    await host.advance(1);
    afterMs = 100;
    done(2);
    await host.advance(100);
    expect(sent).toEqual([1, 2]);
  });

  test("what is done is committed 100 ms later, with what was done meanwhile", async () => {
    done(1);
    await host.advance(60);
    done(2);
    await host.advance(39);
    expect(sent).toEqual([]);
    await host.advance(1);
    expect(sent).toEqual([2]);
  });

  test("however much is done, ten commits a second are sent; with nothing to do none is", async () => {
    for (let offset = 1; offset <= 1_000; offset += 1) {
      done(offset);
      await host.advance(1);
    }
    expect(sent.length).toBeLessThanOrEqual(10);
    await host.advance(100);
    expect(sent.at(-1)).toBe(1_000);
    const before = sent.length;
    await host.advance(60_000);
    expect(sent).toHaveLength(before);
  });

  test("what was acknowledged, or had not moved, is committed; what was not sent, or refused, is not", async () => {
    answers = [notSent, refused];
    done(1);
    await committer.commit();
    await committer.commit();
    expect(acknowledged).toBe(0);
    await committer.commit();
    expect(acknowledged).toBe(1);
    await committer.commit();
    expect([acknowledged, sent]).toEqual([2, [1, 1, 1]]);
  });

  test("only what has moved since its last commit is committed", async () => {
    const asked: PartitionOffset[][] = [];
    const places = [5, 7];
    const ofTwo = new Committer({
      logger: recordingLogger().logger,
      host,
      commitAfterMs: () => 100,
      isComplete: () => true,
      positions: () => places.map((offset, partition) => ({ topic: "t", partition, offset })),
      commit: async (positions) => asked.push([...positions]) > 0,
      onCommitted: () => undefined,
      onStuck: () => undefined,
      onStuckAgain: () => undefined,
    });
    await ofTwo.commit();
    await ofTwo.commit();
    places[1] = 8;
    await ofTwo.commit();
    expect(asked.map((positions) => positions.map(({ partition, offset }) => [partition, offset]))).toEqual([
      [
        [0, 5],
        [1, 7],
      ],
      [[1, 8]],
    ]);
  });

  test("what is done ahead of the offset is committed at the same pace, when nothing else has moved", async () => {
    for (let count = 1; count <= 1_000; count += 1) {
      metadata = `done ${count}`;
      committer.notice();
      await host.advance(1);
    }
    await host.advance(100);
    expect(sent.length).toBeLessThanOrEqual(11);
    expect(sent.every((offset) => offset === 0)).toBe(true);
    expect(texts.at(-1)).toBe("done 1000");
    const before = sent.length;
    committer.notice();
    await host.advance(1_000);
    expect(sent).toHaveLength(before);
  });

  test("a broker that takes no commit of that size gets offsets alone, and is not asked for more again", async () => {
    const tooLarge = new KafkaError("record_too_large", "too large", { canRetry: false });
    answers.push(() => Promise.reject(tooLarge));
    metadata = "a text";
    done(1);
    await host.advance(1_100);
    done(2);
    await host.advance(100);
    expect([sent, texts, remedies]).toEqual([[1, 1, 2], ["a text", undefined, undefined], []]);
    expect(lines.filter(({ level }) => level === "warn")).toHaveLength(1);
  });

  test("no commit overtakes another: the next waits for the answer, and then sends what is done by then", async () => {
    const answer = Promise.withResolvers<boolean>();
    answers.push(() => answer.promise);
    done(1);
    await host.advance(100);
    done(2);
    await host.advance(1_000);
    const asked = committer.commit();
    done(3);
    await host.advance(0);
    expect(sent).toEqual([1]);
    answer.resolve(true);
    await asked;
    expect(sent).toEqual([1, 3]);
  });

  test("one that was not sent, and one that failed, is sent again, though nothing else is done", async () => {
    answers.push(notSent, refused);
    done(1);
    await host.advance(5_000);
    expect([sent, remedies]).toEqual([[1, 1, 1], []]);
  });

  /** As many as a lost coordinator takes to be replaced, at most; a second apart. */
  const STUCK = 15;
  const fail = (times: number) => answers.push(...Array.from({ length: times }, () => refused));

  test("fifteen failures in a row are not passing, but what could not be sent is no failure", async () => {
    fail(STUCK - 1);
    answers.push(notSent, notSent, refused);
    done(1);
    await host.advance(16_000);
    expect(remedies).toEqual([]);
    await host.advance(1_000);
    expect(remedies).toEqual(["rejoin"]);
  });

  test("what is done while one fails is tried no sooner", async () => {
    const answer = Promise.withResolvers<boolean>();
    answers.push(() => answer.promise);
    done(1);
    await host.advance(100);
    done(2);
    answer.reject(new KafkaError("unavailable", "no", { canRetry: true }));
    await host.advance(900);
    expect(sent).toEqual([1]);
    await host.advance(100);
    expect(sent).toEqual([1, 2]);
  });

  test("as many more, since the member was to join again, ask for a new session; and so on until one is taken", async () => {
    fail(3 * STUCK);
    done(1);
    await host.advance(28_500);
    expect(remedies).toEqual(["rejoin"]);
    await host.advance(1_000);
    expect(remedies).toEqual(["rejoin", "renew"]);
    await host.advance(30_000);
    expect([remedies, acknowledged]).toEqual([["rejoin", "renew", "rejoin"], 1]);
  });

  test("a commit that is taken between failures begins the count anew", async () => {
    for (const offset of [1, 2]) {
      fail(STUCK);
      done(offset);
      await host.advance(20_000);
    }
    expect(remedies).toEqual(["rejoin", "rejoin"]);
  });

  test.each([
    ["what stands is committed again, for another may have committed since", []],
    ["nothing waits for the time at which a commit of before was to be sent again", [refused]],
  ])("after a rebalance %s", async (_, before) => {
    answers.push(...before);
    done(1);
    await host.advance(100);
    committer.forget();
    await host.advance(100);
    expect(sent).toEqual([1, 1]);
  });

  test("an answer of before a rebalance says nothing about after it", async () => {
    const answer = Promise.withResolvers<boolean>();
    answers.push(() => answer.promise);
    done(1);
    await host.advance(100);
    committer.forget();
    answer.resolve(true);
    await host.advance(200);
    expect(sent).toEqual([1, 1]);
  });

  test("the last one is tried until it is taken, and nothing is sent by itself after it", async () => {
    answers.push(notSent, refused, refused, refused);
    done(1);
    const last = committer.commitLast(10_000);
    await host.advance(800);
    await last;
    expect([sent, remedies]).toEqual([[1, 1, 1, 1, 1], []]);
    done(2);
    await host.advance(10_000);
    expect(sent).toHaveLength(5);
  });

  test("the last one is given up when its time is over", async () => {
    answers.push(...Array.from({ length: 100 }, () => notSent));
    done(1);
    const last = committer.commitLast(500);
    await host.advance(600);
    await last;
    expect(sent).toHaveLength(4);
  });
});
