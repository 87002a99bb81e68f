import { Socket } from "node:net";
import { afterEach, expect, jest, test } from "@jest/globals";
import { type ScratchKafka, useScratchKafka } from "../fixtures/scratch-kafka.ts";

// Tests what goes over the wire to a real Kafka when records are produced.

let scratch: ScratchKafka;

useScratchKafka((given) => {
  ({ scratch } = given);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const PRODUCE = 0;
const ALL_IN_SYNC = -1;

/** The acks of a produce request of versions 3 to 8; undefined for any other. Its head: size, key, version, correlation id, client id. */
function acksIn(sent: Buffer): number | undefined {
  if (sent.readInt32BE(0) !== sent.length - 4 || sent.readInt16BE(4) !== PRODUCE) return undefined;
  const clientIdLength = Math.max(0, sent.readInt16BE(12));
  const transactionalId = 14 + clientIdLength;
  return sent.readInt16BE(transactionalId + 2 + Math.max(0, sent.readInt16BE(transactionalId)));
}

test("every request asks for the acknowledgement of all replicas in sync (contract 7.2)", async () => {
  const sent: Buffer[] = [];
  const write = Socket.prototype.write;
  jest.spyOn(Socket.prototype, "write").mockImplementation(function (this: Socket, ...given) {
    const [chunk] = given as [Buffer | string];
    if (Buffer.isBuffer(chunk) && chunk.length > 20) sent.push(Buffer.from(chunk));
    return Reflect.apply(write, this, given) as boolean;
  });
  const [topic = ""] = await scratch.topics(["acks"]);
  const producer = scratch.kafka.producer();
  for (const size of [1, 100]) {
    const records = Array.from({ length: size }, (_, index) => ({
      topic,
      key: `${index}`,
      value: Buffer.from("x"),
    }));
    await producer.send(records);
  }
  const acks = sent.map(acksIn).filter((each) => each !== undefined);
  expect(acks.length).toBeGreaterThanOrEqual(2);
  expect(new Set(acks)).toEqual(new Set([ALL_IN_SYNC]));
});
