import { beforeEach, describe, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { KafkaError } from "../errors.ts";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { record } from "../fixtures/stub-session.ts";
import { Shutdown } from "../shutdown.ts";
import type { RawRecord } from "../types.ts";
import { RecordReader } from "./record-reader.ts";

let host: TestHost;
let ending: Shutdown;
let recorder: ReturnType<typeof recordingLogger>;
let decode: (record: RawRecord) => string | Promise<string>;
/** Offsets, in order; a poisoned one is negative. */
let read: number[];
let reader: RecordReader<string>;

const bad = Object.assign(new Error("bad bytes"), { canRetry: false });

beforeEach(() => {
  host = new TestHost();
  ending = new Shutdown(host);
  recorder = recordingLogger();
  read = [];
  decode = () => "value";
  reader = new RecordReader<string>({
    decode: (each) => decode(each),
    onRecord: ({ offset }) => void read.push(offset),
    onPoison: ({ offset }) => void read.push(-offset),
    ending,
    logger: recorder.logger,
    host,
  });
});

const records = (count: number): RawRecord[] =>
  Array.from({ length: count }, (_, offset) => record(0, offset));

describe("records are read in order, each once", () => {
  test("at once where their schemas are known", () => {
    expect(reader.read(records(3))).toBeUndefined();
    expect(read).toEqual([0, 1, 2]);
  });

  test("where each schema has to be waited for", async () => {
    decode = async () => "value";
    await reader.read(records(3));
    expect(read).toEqual([0, 1, 2]);
  });

  test("over several turns of the event loop", async () => {
    const later = reader.read(records(600));
    expect(read).toHaveLength(256);
    await host.advance(0);
    await later;
    expect(read).toEqual(Array.from({ length: 600 }, (_, offset) => offset));
  });

  test("of all partitions together no more in a turn", async () => {
    const readUntilTurns: number[] = [];
    const inNextTurn = host.setImmediate.bind(host);
    host.setImmediate = (work) =>
      inNextTurn(() => {
        readUntilTurns.push(read.length);
        work();
      });
    const readings = Array.from({ length: 12 }, () => reader.read(records(600)));
    await host.advance(0);
    await Promise.all(readings);
    expect(read).toHaveLength(12 * 600);
    expect(readUntilTurns).toEqual(Array.from({ length: 28 }, (_, turn) => (turn + 1) * 256));
  });

  test("also what can never be decoded, at once or later", async () => {
    decode = ({ offset }) => {
      if (offset === 1) throw bad;
      return offset === 2 ? Promise.reject(bad) : "value";
    };
    await reader.read(records(4));
    expect(read).toEqual([0, -1, -2, 3]);
  });
});

test("a record that cannot be decoded yet holds the ones behind it back, is tried again, and said", async () => {
  let tries = 0;
  decode = ({ offset }) => {
    if (offset !== 1) return "value";
    tries += 1;
    if (tries < 3) throw new Error("no registry");
    return "value";
  };
  const reading = reader.read(records(3));
  await host.advance(0);
  expect(read).toEqual([0]);
  for (let ms = 0; ms < 1_000; ms += 50) await host.advance(50);
  await reading;
  expect([read, tries]).toEqual([[0, 1, 2], 3]);
  const [line] = recorder.lines;
  expect(line).toMatchObject({ level: "warn", fields: { offset: 1, failures: 1, error: "no registry" } });
});

test("nothing is read any more at the end, whatever a schema does", async () => {
  decode = ({ offset }) => (offset === 1 ? Promise.withResolvers<string>().promise : "value");
  const reading = reader.read(records(3));
  ending.end(new KafkaError("closed", "closed", { canRetry: false }));
  await reading;
  expect(read).toEqual([0]);
});

test("a listener that throws is said, and the next record read", async () => {
  reader = new RecordReader<string>({
    decode,
    onRecord({ offset }) {
      read.push(offset);
      if (offset === 0) throw new Error("oh");
    },
    onPoison: () => undefined,
    ending,
    logger: recorder.logger,
    host,
  });
  await reader.read(records(2));
  expect([read, recorder.lines.length]).toEqual([[0, 1], 1]);
});
