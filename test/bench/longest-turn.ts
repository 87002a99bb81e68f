// The longest turn of the event loop that the worst definitions and calls cause in router, audience processor and control, without Kafka.
// CPU time of the thread: what other processes of the machine take does not count.
import { setImmediate as turn } from "node:timers/promises";
import { createProfile, explainConditions } from "#audiences";
import { prepareValidation } from "#contract";
import { systemHost } from "#host";
import type { Call, DestinationConfig } from "#topics";
import { Slices } from "../../services/control/records/profiles/slices.ts";
import { createAudience } from "../../services/control/resources/audiences/audience.ts";
import type { MemberParts } from "../../services/control/resources/audiences/member-parts.ts";
import { previewOf } from "../../services/control/resources/audiences/preview.ts";
import type { LocalBench } from "./bench.ts";
import { callOf, configOf } from "./processor-wire.ts";
import { ProfileStage } from "./profile-stage.ts";
import type { Report } from "./report.ts";
import { RouterStage } from "./router-stage.ts";
import { cpuMs, longestTurnMs } from "./turn-watch.ts";
import {
  choicesFilter,
  deepFilter,
  longestFilter,
  shortTexts,
  shortTextsFilter,
  spaceOfConditions,
  spaceOfCounts,
  spaceOfSearches,
  worstFilter,
  worstProperties,
} from "./worst-definitions.ts";
import {
  bodyOf,
  destinationsOf,
  sourceProperties,
  WORST_SOURCES,
  type WorstCall,
  type WorstSource,
} from "./worst-sources.ts";

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

/** One call to destinations, made in each round: filters of new ones are read in it. */
async function sayRouter(
  report: Report,
  name: string,
  destinations: () => readonly DestinationConfig[],
  call: WorstCall,
): Promise<void> {
  const stage = await RouterStage.open();
  await sayRounds(report, `router, ${name}`, (round) => {
    const found = destinations();
    const changes = { event: call.event, body: bodyOf(round, call) };
    return async () => void (await stage.route(found, changes));
  });
  stage.close();
}

/** One call to all destinations of a source, in all of its turns. */
async function sayCall(report: Report, source: WorstSource): Promise<void> {
  const stage = await RouterStage.open();
  const found = destinationsOf(source);
  const ms: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const changes = { event: source.event, body: bodyOf(round, source) };
    const beganAtMs = cpuMs();
    await stage.route(found, changes);
    ms.push(cpuMs() - beganAtMs);
  }
  stage.close();
  const later = Math.max(...ms.slice(1));
  report.figure(`router, ${source.name}: one call, later`, later, { unit: "ms", asked: "≤ 100" });
}

async function sayProcessor(
  report: Report,
  name: string,
  definitions: readonly object[],
  properties = worstProperties,
): Promise<void> {
  prepareValidation();
  const stage = await ProfileStage.open([]);
  const configs = definitions.map((one, index) => configOf(`aud_${index}`, one));
  const [changed] = configs;
  const written = async (round: number, event: string): Promise<Work> => {
    const made: Call = { ...callOf(`user-${round}`, event), body: bodyOf(round, { event, properties }) };
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
      pace: { backfillPerSecond: 20_000 },
      audiences: { list: () => [] },
      audienceProgress: { get: () => undefined },
    };
    return async () => void (await previewOf(parts as unknown as MemberParts, audience, explained));
  });
}

const explained: Parameters<typeof previewOf>[2] = async (audience, asked) => ({
  why: await explainConditions(audience, asked),
});

export const longestTurn: LocalBench = {
  name: "longest-turn",
  summary:
    "The longest turn of the event loop by the worst definitions, in router, audience processor and control.",
  flags: {},
  async runAlone({ report }) {
    const many = <T>(count: number, of: (index: number) => T): T[] =>
      Array.from({ length: count }, (_, at) => of(at));
    for (const source of WORST_SOURCES) {
      const found = destinationsOf(source);
      await sayRouter(report, source.name, () => found, source);
      await sayCall(report, source);
    }
    const call = { event: "Read", properties: worstProperties };
    const asking = (filters: readonly (object | null)[]) =>
      destinationsOf({ asked: filters.map((filter) => ({ filter, events: null })) });
    const texts = asking(many(4, shortTextsFilter));
    await sayRouter(report, "4 searches of 100 texts", () => texts, { ...call, properties: shortTexts });
    const long = () => asking(many(20, () => longestFilter(FILTER_BYTES)));
    await sayRouter(report, "20 filters of 400 KB, new", long, call);
    // From before a source had bounds.
    const filters = asking(many(FILTERS, worstFilter));
    await sayRouter(report, `${FILTERS} filters of 100 searches`, () => filters, call);
    const destinations = asking(many(DESTINATIONS, () => null));
    await sayRouter(report, `${DESTINATIONS} destinations`, () => destinations, call);
    await sayProcessor(report, "processor, 2,000 searches", spaceOfSearches());
    await sayProcessor(report, "processor, 10,000 conditions", spaceOfConditions());
    await sayProcessor(report, "processor, 10,000 counts", spaceOfCounts());
    const deep = many(9, (index) => deepFilter(index));
    await sayProcessor(report, "processor, 9,450 conditions 60 levels deep", deep, sourceProperties);
    const choices = many(100, choicesFilter);
    await sayProcessor(report, "processor, 6,000 lists of 500 choices", choices, sourceProperties);
    await sayPreview(report);
  },
};
