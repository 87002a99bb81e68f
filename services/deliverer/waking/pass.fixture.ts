// A retry topic of one partition in memory, with destinations whose endpoint is their own.
import { type Host, systemHost } from "#host";
import type { OutgoingRecord, RawRecord, Step } from "#kafka";
import { PoisonRecordError } from "#serde";
import { type DeliveryJob, type DeliveryWake, deliveryKey, topicMap } from "#topics";
import type { DestinationState } from "../destinations.ts";
import { job } from "../jobs.fixture.ts";
import { createWakeCursors, type WakeCursors } from "./cursors.ts";
import type { PassParts } from "./parts.ts";
import { ReaderJobs } from "./reader-jobs.ts";
import { createRoom } from "./room.ts";

export const NOW_MS = 1_000_000;
const TOPIC = "retry";

export interface Log {
  readonly records: RawRecord[];
  readonly jobs: Map<number, DeliveryJob>;
}

/** One waiting job for each destination id given. */
export function logOf(destinationIds: readonly string[]): Log {
  const jobs = new Map<number, DeliveryJob>();
  const records = destinationIds.map((destinationId, offset): RawRecord => {
    const decoded = job({ jobId: `j${offset}`, destinationId, attempts: 1, dueAtMs: NOW_MS + 60_000 });
    jobs.set(offset, decoded);
    return {
      topic: TOPIC,
      partition: 0,
      offset,
      key: deliveryKey(decoded),
      value: Buffer.from(String(offset)),
      timestampMs: NOW_MS - 1,
    };
  });
  return { records, jobs };
}

export function endpointOf(destinationId: string): string {
  return `https://${destinationId}.test`;
}

function openDestination(id: string): DestinationState {
  const endpoint = endpointOf(id);
  const url = `${endpoint}/hook`;
  const signing = { sharedSecret: undefined, standardWebhooks: false, previous: undefined };
  const webhooks = new Map([[url, { url, endpoint, headers: {}, signing, quota: undefined }]]);
  return { kind: "open", urls: [url], webhooks, sharedSecret: undefined } as DestinationState;
}

/** What is on disk of the cursors: it outlives the process. */
export type Disk = Map<string, DeliveryWake>;

export function cursorsOn(disk: Disk): WakeCursors {
  let latest: DeliveryWake | undefined;
  return createWakeCursors({
    table: disk,
    topics: topicMap({ prefix: "", retryDelaysMs: [1] }),
    serde: {
      encode: (_topic, wake) => {
        latest = wake as DeliveryWake;
        return Buffer.alloc(0);
      },
    },
    write: async ([record]: readonly OutgoingRecord[]) => {
      if (record !== undefined && latest !== undefined) disk.set(record.key ?? "", latest);
    },
  });
}

export interface PassBench {
  readonly log: Log;
  readonly disk?: Disk;
  readonly step: Step<DeliveryJob>;
  readonly room?: (endpoint: string) => number | undefined;
  /** Where the topic's reader is. */
  readonly position?: number | (() => number | undefined);
  /** What the topic's reader has in hand. */
  readonly readerJobs?: ReaderJobs;
  readonly host?: Pick<Host, "setTimeout" | "delay">;
  write?(records: readonly OutgoingRecord[]): Promise<void>;
  isOurs?(): boolean;
  nowMs?(): number;
  destination?(id: string): DestinationState;
}

export function partsOf(bench: PassBench): PassParts {
  const { log, disk = new Map(), step, room = () => 1, position = 0, host = systemHost } = bench;
  return {
    topics: [TOPIC],
    cursors: cursorsOn(disk),
    step,
    room: createRoom({ lanes: { room }, pace: { take: () => true }, host }),
    host,
    readerJobs: bench.readerJobs ?? new ReaderJobs(),
    refused: () => undefined,
    stopping: new AbortController().signal,
    nowMs: bench.nowMs ?? (() => NOW_MS),
    decode: ({ offset }) =>
      log.jobs.get(offset) ?? Promise.reject(new PoisonRecordError("garbage", "undecodable")),
    position: () => (typeof position === "function" ? position() : position),
    ownership: () => ({
      get isOurs() {
        return bench.isOurs?.() ?? true;
      },
    }),
    offsets: async () => [{ partition: 0, low: 0, high: log.records.length }],
    async readRange({ fromOffset, toOffset, signal, onRecord }) {
      for (const record of log.records.slice(fromOffset, toOffset)) {
        if (signal.aborted) return;
        await onRecord(record);
      }
    },
    destination: bench.destination ?? openDestination,
    write: bench.write ?? (async () => undefined),
  };
}
