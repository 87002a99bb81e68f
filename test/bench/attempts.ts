// What it costs to know what became of every call (decision 95), without Kafka: records of requests in a deliverer, rows of them in
// control's index, with a sample of the successes and with all of them, by turns; and the same of what the router says of calls (decision 95).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OutgoingRecord } from "#kafka";
import type { Serde } from "#serde";
import { type DeliveryJob, topicMap } from "#topics";
import { stubSerde } from "../../services/audience-processor/fixtures/bench.ts";
import { DeliveryIndex } from "../../services/control/deliveries/index/delivery-index.ts";
import { sentJob } from "../../services/control/jobs/replays/fixtures/sent-calls.ts";
import { createAttemptLog } from "../../services/deliverer/attempt-log/attempt-log.ts";
import { RECORDED_ATTEMPTS, SAMPLING_BOUNDS } from "../../services/deliverer/attempt-log/sampling.ts";
import { createAttemptWriter } from "../../services/deliverer/attempt-log/writer.ts";
import type { LocalBench } from "./bench.ts";
import { cpuOf, indexRecords, middleOf } from "./index-rows.ts";
import { bytesIn } from "./profile-stage.ts";
import { recordedCalls } from "./recorded-calls.ts";
import type { Report } from "./report.ts";

type Recorded = (typeof RECORDED_ATTEMPTS)[number];

interface Flags {
  readonly calls: number;
  readonly destinations: number;
  readonly rounds: number;
}

const TOPICS = topicMap({ prefix: "", retryDelaysMs: [1_000] });
const LOOKUPS = 1_000;

/** The records that a deliverer writes of calls that all succeed, a thousand a second. */
function recordsOf(serde: Serde, recorded: Recorded, jobs: readonly DeliveryJob[]): OutgoingRecord[] {
  const records: OutgoingRecord[] = [];
  const send = async (written: readonly OutgoingRecord[]): Promise<void> => void records.push(...written);
  const producer = { send, backlog: { bytes: 0, records: 0, oldestAtMs: undefined } };
  const writer = createAttemptWriter({
    topics: TOPICS,
    serde,
    producer,
    writerId: "w",
    onDropped: () => undefined,
  });
  const bounds = SAMPLING_BOUNDS[recorded];
  const log = createAttemptLog({ writer, nowMs: Date.now, bounds });
  const startMs = Date.now();
  for (const [index, job] of jobs.entries()) {
    const ended = { message: "HTTP 200", startedAtMs: startMs + index, durationMs: 20 };
    log.requested(job, { url: "https://example.com/", outcome: { kind: "success", status: 200 }, ...ended });
  }
  log.flush();
  writer.send();
  return records.filter(({ topic }) => topic === TOPICS.deliveryAttempts.name);
}

interface Costs {
  readonly deliverer: number;
  readonly control: number;
}

async function round(serde: Serde, recorded: Recorded, { flags, report }: Said): Promise<Costs> {
  const jobs = Array.from({ length: flags.calls }, (_, number) =>
    sentJob(`dst_${number % flags.destinations}`, number),
  );
  const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  const index = new DeliveryIndex({ folder, nowMs: Date.now, onDiscarded: () => undefined });
  try {
    let records: OutgoingRecord[] = [];
    const deliverer = await cpuOf(flags.calls, () => {
      records = recordsOf(serde, recorded, jobs);
    });
    const control = await cpuOf(flags.calls, () =>
      indexRecords({ index, serde, kind: "attempts", topic: TOPICS.deliveryAttempts }, records),
    );
    if (recorded === "all") sayRows({ index, folder, records }, report);
    return { deliverer, control };
  } finally {
    index.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Said {
  readonly flags: Flags;
  /** Undefined for all rounds but the last. */
  readonly report: Report | undefined;
}

interface Rows {
  readonly index: DeliveryIndex;
  readonly folder: string;
  readonly records: readonly OutgoingRecord[];
}

function sayRows({ folder, index, records }: Rows, report: Report | undefined): void {
  if (report === undefined) return;
  const bytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
  report.figure("a request's record in Kafka, before compression", bytes / records.length, { unit: "bytes" });
  report.figure("its row in the index", bytesIn(folder) / records.length, { unit: "bytes" });
  const startedAtMs = performance.now();
  for (let lookup = 0; lookup < LOOKUPS; lookup += 1)
    index.listAttempts({ messageId: `m${(lookup * 7_919) % records.length}` }, { limit: LOOKUPS });
  const ms = (performance.now() - startedAtMs) / LOOKUPS;
  report.figure(`what is known of one call, among ${records.length} requests`, ms, { unit: "ms" });
}

export const attempts: LocalBench<keyof Flags> = {
  name: "attempts",
  summary:
    "Records of requests and of calls, and the index of them, without Kafka: with few or none, and with all.",
  flags: {
    calls: { default: 100_000, doc: "calls, all of them successes" },
    destinations: { default: 50, doc: "destinations that they go to" },
    rounds: { default: 3, doc: "of each kind, by turns; the middle one is said" },
  },
  async runAlone({ flags, report }) {
    const serde = await stubSerde();
    const costs: Record<Recorded, Costs[]> = { sample: [], all: [] };
    for (let turn = 1; turn <= flags.rounds; turn += 1)
      for (const recorded of RECORDED_ATTEMPTS) {
        const said = { flags, report: turn === flags.rounds ? report : undefined };
        costs[recorded].push(await round(serde, recorded, said));
      }
    for (const recorded of RECORDED_ATTEMPTS)
      for (const process of ["deliverer", "control"] as const) {
        const name = `HOOKLINE_RECORDED_ATTEMPTS=${recorded}: CPU a call, ${process}`;
        report.figure(name, middleOf(costs[recorded].map((each) => each[process])), { unit: "µs" });
      }
    await recordedCalls(serde, { flags, report });
  },
};
