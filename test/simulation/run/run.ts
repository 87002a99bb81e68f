import type { RawRecord } from "#kafka";
import type { Serde } from "#serde";
import { REQUEST_TIMEOUT_MS } from "#testing";
import { inRealEvent, RestlessWorldError } from "#testing/host";
import { allTopics, type RecordName, type RecordTypes, type Topic } from "#topics";
import { findingsOf } from "../laws/laws.ts";
import type { Finding, LossShown, Remainder, Story, Written } from "../laws/story.ts";
import type { Plan } from "../plan/plan.ts";
import { AudienceOperator } from "../world/audience-operator.ts";
import { Clients } from "../world/clients.ts";
import { Fleet } from "../world/fleet.ts";
import type { Happening } from "../world/history.ts";
import { ImportClerk } from "../world/import-clerk.ts";
import { Operator } from "../world/operator.ts";
import { RegulationClerk } from "../world/regulation-clerk.ts";
import { ReplayClerk } from "../world/replay-clerk.ts";
import { Saboteur } from "../world/saboteur.ts";
import type { TraceLine } from "../world/trace.ts";
import { WaitingWatch } from "../world/waiting-watch.ts";
import { WishClerk } from "../world/wish-clerk.ts";
import { World } from "../world/world.ts";
import { indexesOf } from "./indexes.ts";
import { leftOver } from "./left-over.ts";
import { listsOf } from "./lists.ts";
import { hearUnhandled } from "./unhandled.ts";

const STEP_MS = 1_000;
/** Requests that nobody waits for any more have ended, and timers that tidy up have had their turn. */
const SETTLE_MS = 3_000;
/** As the product's readers. */
const SESSION_TIMEOUT_MS = 6_000;
/** What the last faults did shows by then: a session that nobody renews is over after 6 s. */
const WATCHED_AFTER_CALM_MS = 9_000;
/**
 * Of audiences: who has lost an answer asks again by then, and comes back to its groups, which wait for members that nobody hears meanwhile.
 * Time stands still until then, and nothing else shows which tables are not read.
 */
const CONFIGURED_AFTER_CALM_MS = REQUEST_TIMEOUT_MS + 2 * SESSION_TIMEOUT_MS + SETTLE_MS;

/** Where anonymous ids are forgotten, until those of the last calls are. */
function watchedAfter({ anonymousRetentionMs = 0, audiences }: Plan): number {
  if (audiences.length === 0) return WATCHED_AFTER_CALM_MS;
  return CONFIGURED_AFTER_CALM_MS + anonymousRetentionMs * 1.25;
}

export interface RunResult {
  readonly findings: readonly Finding[];
  readonly trace: readonly TraceLine[];
  readonly traceHash: string;
  readonly virtualMs: number;
  readonly events: number;
  readonly story: Story;
}

/**
 * Runs a world to its end and looks at it. A world makes some hundred errors that are dealt with, and their stacks are read by nobody: a
 * run that broke a law is made once more with them, and is the same.
 */
export async function run(plan: Plan): Promise<RunResult> {
  const { stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = 0;
    const found = await runOnce(plan);
    if (found.findings.length === 0) return found;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  return runOnce(plan);
}

async function runOnce(plan: Plan): Promise<RunResult> {
  const world = new World(plan);
  const fleet = new Fleet(world);
  const unhandled: string[] = [];
  const stopHearing = hearUnhandled((error) => unhandled.push(error));
  try {
    const { drainedAtMs, left } = await liveOrTurn(world, fleet);
    const story = await storyOf(world, {
      drainedAtMs,
      leftOver: left,
      remainders: remaindersOf(fleet),
      indexes: await indexesOf(world, fleet),
      losses: lossesOf(world, fleet),
      lists: await listsOf(world, fleet),
      unhandled,
    });
    const { time, trace } = world;
    const findings = findingsOf(story);
    return {
      findings,
      trace: trace.lines,
      traceHash: trace.hash,
      virtualMs: time.nowMs,
      events: time.events,
      story,
    };
  } finally {
    stopHearing();
    world.end();
  }
}

/** A process that goes round in a circle has nothing through. */
async function liveOrTurn(
  world: World,
  fleet: Fleet,
): Promise<{ readonly drainedAtMs: number | undefined; readonly left: string }> {
  try {
    const drainedAtMs = await live(world, fleet);
    return { drainedAtMs, left: leftOver(world) };
  } catch (error) {
    if (!(error instanceof RestlessWorldError)) throw error;
    return { drainedAtMs: undefined, left: error.message };
  }
}

/** When everything was through; undefined when it was not in time. */
async function live(world: World, fleet: Fleet): Promise<number | undefined> {
  const { plan, time } = world;
  const { calmMs, endMs } = plan.timing;
  new Operator(world).begin();
  if (plan.audiences.length > 0) new AudienceOperator(world).begin();
  const clients = new Clients({
    time,
    random: world.random.split("clients"),
    entrances: () => fleet.entrances,
    onStored: (call, isRepeated) => {
      world.trace.add("client", `${call.messageId} is stored`);
      world.history.add({ kind: "stored", atMs: time.nowMs, call, isRepeated });
    },
  });
  fleet.begin();
  clients.begin(plan.calls);
  const wishes = new WishClerk(world, () => fleet.desks);
  wishes.begin();
  if (plan.members !== undefined) new RegulationClerk(world, () => fleet.desks).begin();
  if (plan.members !== undefined) new ImportClerk(world, () => fleet.desks).begin();
  new ReplayClerk(world, () => fleet.desks).begin();
  new Saboteur(world, fleet).begin();
  new WaitingWatch(world, () => fleet.desks).begin();
  await inRealEvent(() => time.runUntil(calmMs));
  const watchedAfterMs = watchedAfter(plan);
  let drainedAtMs: number | undefined;
  for (let untilMs = calmMs + STEP_MS; untilMs <= endMs; untilMs += STEP_MS) {
    await inRealEvent(() => time.runUntil(untilMs));
    // A destination that is connected in the last moment would be given its members behind the end.
    if (leftOver(world) !== "" || (plan.members !== undefined && wishes.isBusy)) continue;
    const settledAtMs = Math.max(untilMs + SETTLE_MS, calmMs + watchedAfterMs);
    await inRealEvent(() => time.runUntil(settledAtMs));
    drainedAtMs = leftOver(world) === "" ? (drainedAtMs ?? untilMs) : undefined;
    // A member that was missed may be coming back at this moment, and have its partitions to open.
    if (drainedAtMs !== undefined && areZero(remaindersOf(fleet))) return drainedAtMs;
  }
  return drainedAtMs;
}

function areZero(remainders: readonly Remainder[]): boolean {
  return remainders.every(({ gauges }) => Object.values(gauges).every((value) => value === 0));
}

const TO_BE_ZERO: Readonly<Record<string, readonly string[]>> = {
  "webhook-router": ["router_outstanding_calls", "router_opening_windows"],
  deliverer: ["delivery_requests_in_flight", "delivery_requests_waiting", "delivery_outstanding_calls"],
  control: ["control_replays_running", "control_imports_open"],
  "audience-processor": ["audience_outstanding_events", "audience_restoring_partitions"],
};

function remaindersOf(fleet: Fleet): Remainder[] {
  return fleet.running.map(({ meters, name }) => {
    const service = name.replace(/-\d+$/, "");
    const shown = (TO_BE_ZERO[service] ?? []).map((gauge) => [gauge, meters.value(gauge) ?? 0] as const);
    return { process: name, gauges: Object.fromEntries(shown) };
  });
}

function lossesOf({ topics }: World, fleet: Fleet): LossShown[] {
  const names = allTopics(topics).map(({ name }) => name);
  return fleet.startedOnce.flatMap(({ meters, name }) =>
    names.map((topic) => ({
      process: name,
      topic,
      counted: meters.total("records_lost_total", { topic }),
      truncated: meters.total("records_truncated_total", { topic }),
    })),
  );
}

type Ending = Pick<
  Story,
  "drainedAtMs" | "indexes" | "lists" | "losses" | "leftOver" | "remainders" | "unhandled"
>;

async function storyOf(world: World, ending: Ending): Promise<Story> {
  const { endpoints, history, logs, plan, topics } = world;
  const serde = world.readerSerde();
  const appended = appendedTo(history.happenings);
  const read = <R extends RecordName>(topic: Topic<R>) =>
    Promise.all((appended.get(topic.name) ?? []).map((each) => written(serde, topic, each)));
  /** Without ends of what was there, and marks of who writes it. */
  const readValues = <R extends RecordName>(topic: Topic<R>) => {
    const all = appended.get(topic.name) ?? [];
    const values = all.filter(({ happening }) => happening.record.value !== null);
    return Promise.all(values.map((each) => written(serde, topic, each)));
  };
  /** With ends of what was there: null. */
  const readAll = <R extends RecordName>(topic: Topic<R>) =>
    Promise.all(
      (appended.get(topic.name) ?? []).map(async (each) =>
        each.happening.record.value === null
          ? { ...endOf(each), value: null }
          : await written(serde, topic, each),
      ),
    );
  const readEnds = ({ name }: Topic) =>
    (appended.get(name) ?? []).flatMap((each) =>
      each.happening.record.value === null ? { ...endOf(each), value: null } : [],
    );
  return {
    ...ending,
    plan,
    happenings: history.happenings,
    calls: await read(topics.calls),
    routedCalls: await read(topics.routedCalls),
    jobs: (await Promise.all([topics.deliveryJobs, ...topics.deliveryRetries].map(read))).flat(),
    wakes: await readAll(topics.deliveryWakes),
    deadLetters: await read(topics.deadLetters),
    replays: await read(topics.replays),
    profileEvents: await read(topics.profileEvents),
    profiles: await readValues(topics.profiles),
    progress: await readAll(topics.audienceProgress),
    sizes: await readAll(topics.audienceSizes),
    control: {
      destinations: await readValues(topics.destinationConfig),
      connectionSyncs: await readValues(topics.connectionSyncs),
      regulations: await readValues(topics.regulations),
      suppressions: await readAll(topics.suppressions),
      imports: await readValues(topics.membershipImports),
      importRows: await readValues(topics.membershipImportRows),
      importEnds: readEnds(topics.membershipImports),
      audiences: await readValues(topics.audienceConfig),
    },
    endedAtMs: world.time.nowMs,
    requests: endpoints.requests,
    logs: logs.lines,
  };
}

interface Appended {
  readonly happening: Extract<Happening, { kind: "appended" }>;
  /** In the history. */
  readonly place: number;
}

/** By topic. */
function appendedTo(happenings: readonly Happening[]): ReadonlyMap<string, readonly Appended[]> {
  const byTopic = new Map<string, Appended[]>();
  happenings.forEach((happening, place) => {
    if (happening.kind !== "appended") return;
    const known = byTopic.get(happening.record.topic);
    if (known === undefined) byTopic.set(happening.record.topic, [{ happening, place }]);
    else known.push({ happening, place });
  });
  return byTopic;
}

function endOf({ happening: { atMs, process, record }, place }: Appended): Omit<Written<null>, "value"> {
  return { record, atMs, process, place };
}

async function written<R extends RecordName>(
  serde: Serde,
  topic: Topic<R>,
  { happening: { atMs, process, record }, place }: Appended,
): Promise<Written<RecordTypes[R]>> {
  return { record, value: await decode(serde, topic, record), atMs, process, place };
}

function decode<R extends RecordName>(serde: Serde, topic: Topic<R>, { value }: RawRecord) {
  return serde.decode(topic, value);
}
