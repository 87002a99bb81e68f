// Moves leadership without stopping a broker, by Kafka's own protocol: the client that the product uses is not open to tests.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "./until.ts";

const ALTER_PARTITION_REASSIGNMENTS = 45;
const LIST_PARTITION_REASSIGNMENTS = 46;
const TIMEOUT_MS = 15_000;
/** Until the brokers know their new leaders. */
const MOVE_MS = 1_000;
const IN_SYNC_TIMEOUT_MS = 60_000;

export interface LeaderMove {
  /** Brokers "host:port"; the node ids are 1, 2, … in this order. */
  readonly brokers: readonly string[];
  /** Index of the broker that is to lead nothing. */
  readonly away: number;
  readonly topics: readonly string[];
  readonly partitions: number;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** An unsigned varint, and with it the lengths of the protocol's compact types, which are one more than they say. */
function varint(value: number): Buffer {
  return value < 0x80
    ? Buffer.from([value])
    : Buffer.concat([Buffer.from([(value & 0x7f) | 0x80]), varint(value >>> 7)]);
}

const NO_TAGS = varint(0);

function compactArray(items: readonly Buffer[]): Buffer {
  return Buffer.concat([varint(items.length + 1), ...items]);
}

function compactString(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([varint(bytes.length + 1), bytes]);
}

function requestOf(apiKey: number, body: Buffer): Buffer {
  const header = [int16(apiKey), int16(0), int32(1), int16(-1), NO_TAGS];
  const request = Buffer.concat([...header, int32(TIMEOUT_MS), body, NO_TAGS]);
  return Buffer.concat([int32(request.length), request]);
}

function reassignment(
  { topics, partitions }: LeaderMove,
  replicasOf: (partition: number) => number[],
): Buffer {
  const partition = (_: unknown, index: number): Buffer =>
    Buffer.concat([int32(index), compactArray(replicasOf(index).map(int32)), NO_TAGS]);
  const topic = (name: string): Buffer =>
    Buffer.concat([
      compactString(name),
      compactArray(Array.from({ length: partitions }, partition)),
      NO_TAGS,
    ]);
  return requestOf(ALTER_PARTITION_REASSIGNMENTS, compactArray(topics.map(topic)));
}

async function answerOf(socket: Socket): Promise<Buffer> {
  let answer = Buffer.alloc(0);
  for await (const chunk of socket) {
    answer = Buffer.concat([answer, chunk as Buffer]);
    if (answer.length >= 4 && answer.length >= 4 + answer.readInt32BE(0)) return answer;
  }
  throw new Error("the broker closed the connection");
}

/** Length, correlation id, tags, throttle time; then the error that concerns the whole request. */
const ERROR_OFFSET = 4 + 4 + 1 + 4;
/** The error and its message, which is null when there is none. */
const BODY_OFFSET = ERROR_OFFSET + 2 + 1;

/** What follows in the answer when there was no error. */
async function ask(address: string, request: Buffer): Promise<Buffer> {
  const at = address.lastIndexOf(":");
  const socket = connect({ host: address.slice(0, at), port: Number(address.slice(at + 1)) });
  const timer = setTimeout(() => socket.destroy(new Error(`no answer of ${address}`)), TIMEOUT_MS);
  try {
    await once(socket, "connect");
    socket.write(request);
    const answer = await answerOf(socket);
    const error = answer.readInt16BE(ERROR_OFFSET);
    if (error !== 0) throw new Error(`leaders were not moved: Kafka's error ${error}`);
    return answer.subarray(BODY_OFFSET);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** Whether every partition has the copies that it was told to have. */
async function isSettled(address: string): Promise<boolean> {
  // Null asks for all topics; the answer is an array of those that are not through.
  const moving = await ask(address, requestOf(LIST_PARTITION_REASSIGNMENTS, varint(0)));
  return moving.equals(Buffer.concat([compactArray([]), NO_TAGS]));
}

/**
 * Takes every copy away from one broker, so that others must lead, and gives it copies back that do not lead. Ends when they
 * are in sync, so that another broker may be missed then.
 */
export async function moveLeaders(move: LeaderMove): Promise<void> {
  const others = move.brokers.map((_, index) => index).filter((index) => index !== move.away);
  const address = move.brokers[others[0] ?? 0] ?? "";
  const rotated = (partition: number): number[] =>
    others.map((_, place) => 1 + (others[(place + partition) % others.length] ?? 0));
  await ask(address, reassignment(move, rotated));
  await pause(MOVE_MS);
  await ask(
    address,
    reassignment(move, (partition) => [...rotated(partition), 1 + move.away]),
  );
  await until(() => isSettled(address), { timeoutMs: IN_SYNC_TIMEOUT_MS, what: "the copies to be in sync" });
}
