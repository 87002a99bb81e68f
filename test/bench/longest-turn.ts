// The longest turn of the event loop that the worst definitions and calls cause in router, audience processor and control, without Kafka.
// CPU time of the thread: what other processes of the machine take does not count.
import { setImmediate as turn } from "node:timers/promises";
import { createProfile } from "#audiences";
import { prepareValidation } from "#contract";
import { systemHost } from "#host";
import type { Call } from "#topics";
import { stubSerde, TOPICS } from "../../services/audience-processor/fixtures/bench.ts";
import { createAudience } from "../../services/control/audiences/audience.ts";
import type { MemberParts } from "../../services/control/audiences/member-parts.ts";
import { previewOf } from "../../services/control/audiences/preview.ts";
import { Slices } from "../../services/control/profiles/slices.ts";
import { FilterTurns } from "../../services/webhook-router/filter-turns.ts";
import { call, destination } from "../../services/webhook-router/fixtures/calls.ts";
import { createRecords } from "../../services/webhook-router/records.ts";
import { createRouteCalls } from "../../services/webhook-router/route-calls.ts";
import type { LocalBench } from "./bench.ts";
import { callOf, configOf } from "./processor-wire.ts";
import { ProfileStage } from "./profile-stage.ts";
import type { Report } from "./report.ts";
import { longestTurnMs } from "./turn-watch.ts";
import {
  longestFilter,
  shortTexts,
  shortTextsFilter,
  spaceOfConditions,
  spaceOfCounts,
  spaceOfSearches,
  worstFilter,
  worstProperties,
} from "./worst-definitions.ts";

const ROUNDS = 5;
const FILTERS = 200;
const DESTINATIONS = 5_000;
/** Of a body of the control API. */
const FILTER_BYTES = 400_000;

type Work = () => Promise<void>;

/** The first round runs code that is not compiled yet. What a round prepares is not measured. */
async function sayRounds(
  report: Report,
  name: string,
  prepare: (round: number) => Work | Promise<Work>,
): Promise<void> {
  const ms: number[] = [];
  for (let index = 0; index < ROUNDS; index += 1) {
    const work = await prepare(index);
    await turn();
    ms.push(await longestTurnMs(work));
  }
  const [first = 0, ...others] = ms;
  report.figure(`${name}: longest turn, the first in the process`, first, { unit: "ms", asked: "≤ 50" });
  report.figure(`${name}: longest turn, later`, Math.max(...others), { unit: "ms", asked: "≤ 50" });
}

function bodyOf(index: number, { event = "Read", properties = worstProperties } = {}): Buffer {
  const body = { type: "track", userId: "u1", event, properties: properties(index) };
  return Buffer.from(JSON.stringify(body));
}

const nothing = (): void => undefined;

/** One call to destinations with these filters. */
async function sayRouter(
  report: Report,
  name: string,
  filters: (round: number) => readonly (object | null)[],
  properties = worstProperties,
): Promise<void> {
  const serde = await stubSerde();
  await sayRounds(report, name, (round) => {
    const text = (filter: object | null) => (filter === null ? null : JSON.stringify(filter));
    const found = filters(round).map((filter, index) => destination(`d${index}`, { filter: text(filter) }));
    const step = createRouteCalls({
      windows: { note: (_, { use }) => use("first") },
      suppressions: { has: () => false },
      confirmations: { has: () => false, wait: nothing, revoked: nothing },
      turns: new FilterTurns(systemHost),
      destinations: { of: () => found },
      records: createRecords({ topics: TOPICS, serde, nowMs: Date.now }),
      recordCall: undefined,
      telemetry: {
        routed: nothing,
        dropped: nothing,
        repeated: nothing,
        rejected: nothing,
        rebalanced: nothing,
      },
    });
    const raw = { topic: "calls", partition: 0, offset: round, key: null, value: null, timestampMs: 0 };
    const decoded = call({ event: "Read", body: bodyOf(round, { properties }) });
    const record = { ...raw, decoded };
    return () => new Promise((resolve) => step(record, () => resolve(), { isOurs: true, giveBack: nothing }));
  });
  serde.close();
}

async function sayProcessor(report: Report, name: string, definitions: readonly object[]): Promise<void> {
  prepareValidation();
  const stage = await ProfileStage.open([]);
  const configs = definitions.map((one, index) => configOf(`aud_${index}`, one));
  const [changed] = configs;
  const written = async (round: number, event: string): Promise<Work> => {
    const made: Call = { ...callOf(`user-${round}`, event), body: bodyOf(round, { event }) };
    await stage.key([stage.encode(made)]);
    return () => stage.fold(round, round + 1);
  };
  try {
    const asked = { unit: "ms", asked: "≤ 50" };
    report.figure(`${name}: read at the start`, await longestTurnMs(() => stage.configure(configs)), asked);
    // Of calls that no definition names.
    report.figure(`${name}: compiled`, await longestTurnMs(await written(0, "Other")), asked);
    if (changed !== undefined) await stage.configure([{ ...changed }]);
    report.figure(`${name}: compiled after a change`, await longestTurnMs(await written(1, "Other")), asked);
    await sayRounds(report, name, (round) => written(round + 2, "Read"));
  } finally {
    await stage.close();
  }
}

/** A preview of fifty conditions on profiles with a long text each. */
async function sayPreview(report: Report): Promise<void> {
  const ids = Array.from({ length: 100 }, (_, index) => `u${index}`);
  const all = Array.from({ length: 50 }, (_, index) => ({
    trait: "text",
    op: "not_contains",
    value: `${"a".repeat(480)}${index}${"a".repeat(500)}`,
  }));
  const audience = createAudience(
    { id: "p", resource: "audience", key: "p", name: "P", definition: { all } },
    1,
  );
  await sayRounds(report, "control, a preview", (round) => {
    const profiles = {
      count: ids.length,
      partitions: 1,
      ids: (_: number, after = "") => ids.slice(ids.indexOf(after) + 1),
      async read(_: number, id: string) {
        const profile = { ...createProfile(id, 0), judgedAtMs: 1 };
        profile.traits.set("text", {
          value: `${round} ${id} ${"a".repeat(31_000)}`,
          atMs: 1,
          receivedAtMs: 1,
        });
        return profile;
      },
      sentOf: async () => undefined,
    };
    const parts = {
      host: systemHost,
      nowMs: Date.now,
      slices: new Slices(systemHost),
      profiles,
      profilePartitions: 1,
      audiences: { list: () => [] },
      audienceProgress: { get: () => undefined },
    };
    return async () => void (await previewOf(parts as unknown as MemberParts, audience));
  });
}

export const longestTurn: LocalBench = {
  name: "longest-turn",
  summary:
    "The longest turn of the event loop by the worst definitions, in router, audience processor and control.",
  flags: {},
  async runAlone({ report }) {
    const many = <T>(count: number, of: (index: number) => T): T[] =>
      Array.from({ length: count }, (_, at) => of(at));
    await sayRouter(report, `router, ${FILTERS} filters of 100 searches`, () => many(FILTERS, worstFilter));
    await sayRouter(report, "router, 4 searches of 100 texts", () => many(4, shortTextsFilter), shortTexts);
    await sayRouter(report, "router, 20 filters of 400 KB, new", () =>
      many(20, () => longestFilter(FILTER_BYTES)),
    );
    await sayRouter(report, `router, ${DESTINATIONS} destinations`, () => many(DESTINATIONS, () => null));
    await sayProcessor(report, "processor, 2,000 searches", spaceOfSearches());
    await sayProcessor(report, "processor, 10,000 conditions", spaceOfConditions());
    await sayProcessor(report, "processor, 10,000 counts", spaceOfCounts());
    await sayPreview(report);
  },
};
