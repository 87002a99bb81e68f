// What it costs to record what became of every call (decision 95), without Kafka: the router's step, and control's rows of it, with
// none and with all, by turns.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OutgoingRecord } from "#kafka";
import type { Serde } from "#serde";
import { type Call, topicMap } from "#topics";
import { DeliveryIndex } from "../../services/control/deliveries/index/delivery-index.ts";
import { call, destination } from "../../services/webhook-router/fixtures/calls.ts";
import { createRecords } from "../../services/webhook-router/records.ts";
import { createRouteCalls } from "../../services/webhook-router/route-calls.ts";
import { createRecordCall, RECORDED_CALLS } from "../../services/webhook-router/routed-calls.ts";
import { cpuOf, indexRecords, middleOf } from "./index-rows.ts";
import { bytesIn } from "./profile-stage.ts";
import type { Report } from "./report.ts";

type Recorded = (typeof RECORDED_CALLS)[number];

const TOPICS = topicMap({ prefix: "", retryDelaysMs: [1_000] });
const LOOKUPS = 1_000;
/** One takes every call, the other is passed over. */
const DESTINATIONS = [destination("dst_taking"), destination("dst_other", { callTypes: ["page"] })];

/** The records that the router makes of calls that one of two destinations takes. */
function routed(serde: Serde, recorded: Recorded, calls: readonly Call[]): OutgoingRecord[] {
  const produced: OutgoingRecord[] = [];
  const nothing = (): void => undefined;
  const step = createRouteCalls({
    windows: { note: (_, judging) => judging.use("first") },
    suppressions: { has: () => false },
    confirmations: { has: () => false, wait: nothing, revoked: nothing },
    turns: { has: () => false, hasRoom: () => true, hasTime: () => true, wait: nothing, revoked: nothing },
    destinations: { of: () => DESTINATIONS },
    records: createRecords({ topics: TOPICS, serde, nowMs: Date.now }),
    recordCall: createRecordCall(recorded, { topics: TOPICS, serde }),
    telemetry: {
      routed: nothing,
      dropped: nothing,
      repeated: nothing,
      rejected: nothing,
      rebalanced: nothing,
    },
  });
  const raw = { topic: TOPICS.calls.name, partition: 0, key: null, value: null, timestampMs: 0 };
  for (const [offset, decoded] of calls.entries())
    step({ ...raw, offset, decoded }, ({ produce }) => void produced.push(...produce), {
      isOurs: true,
      giveBack: nothing,
    });
  return produced;
}

interface Costs {
  readonly router: number;
  readonly control: number;
}

interface Context {
  readonly flags: { readonly calls: number; readonly rounds: number };
  /** Undefined for all rounds but the last. */
  readonly report: Report | undefined;
}

async function round(serde: Serde, recorded: Recorded, { flags, report }: Context): Promise<Costs> {
  const calls = Array.from({ length: flags.calls }, (_, number) => call({ messageId: `m${number}` }));
  const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  const index = new DeliveryIndex({ folder, nowMs: Date.now, onDiscarded: () => undefined });
  try {
    let records: OutgoingRecord[] = [];
    const router = await cpuOf(flags.calls, () => {
      records = routed(serde, recorded, calls);
    });
    const said = records.filter(({ topic }) => topic === TOPICS.routedCalls.name);
    const control = await cpuOf(flags.calls, () =>
      indexRecords({ index, serde, kind: "routedCalls", topic: TOPICS.routedCalls }, said),
    );
    if (recorded === "all" && report !== undefined) sayRows(report, { index, folder, said });
    return { router, control };
  } finally {
    index.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Rows {
  readonly index: DeliveryIndex;
  readonly folder: string;
  readonly said: readonly OutgoingRecord[];
}

function sayRows(report: Report, { folder, index, said }: Rows): void {
  const bytes = said.reduce((sum, { key, value }) => sum + (key?.length ?? 0) + (value?.length ?? 0), 0);
  report.figure("a call's record in Kafka, before compression", bytes / said.length, { unit: "bytes" });
  report.figure("the call's row in the index", bytesIn(folder) / said.length, { unit: "bytes" });
  const startedAtMs = performance.now();
  for (let lookup = 0; lookup < LOOKUPS; lookup += 1)
    index.listRoutedCalls({ messageId: `m${(lookup * 7_919) % said.length}` }, LOOKUPS);
  const ms = (performance.now() - startedAtMs) / LOOKUPS;
  report.figure(`what was said of one call, among ${said.length}`, ms, { unit: "ms" });
}

export async function recordedCalls(
  serde: Serde,
  { flags, report }: Context & { readonly report: Report },
): Promise<void> {
  const costs: Record<Recorded, Costs[]> = { none: [], all: [] };
  for (let turn = 1; turn <= flags.rounds; turn += 1)
    for (const recorded of RECORDED_CALLS)
      costs[recorded].push(
        await round(serde, recorded, { flags, report: turn === flags.rounds ? report : undefined }),
      );
  for (const recorded of RECORDED_CALLS)
    for (const process of ["router", "control"] as const) {
      const name = `HOOKLINE_RECORDED_CALLS=${recorded}: CPU a call, ${process}`;
      report.figure(name, middleOf(costs[recorded].map((each) => each[process])), { unit: "µs" });
    }
}
