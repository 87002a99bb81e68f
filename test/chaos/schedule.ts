// What happens to the product during a run, and when: all of it follows from the seed. Pure.
import { Random } from "#testing";
import { BROKERS, type ChaosEvent, type Target } from "./events.ts";

interface Pace {
  /** How long a process is away that others are to stand in for: longer than the session timeout of the consumer groups (6 s). */
  readonly awayMs: { readonly min: number; readonly max: number };
  readonly maxGapMs: number;
}

const PACE: Pace = { awayMs: { min: 8_000, max: 12_000 }, maxGapMs: 5_000 };
/** Where several things happen at a time. */
const HURRIED_PACE: Pace = { awayMs: { min: 7_000, max: 9_000 }, maxGapMs: 1_000 };
/** What an event takes beside its own time: stopping, starting, waiting until it is ready. */
const OVERHEAD_MS = 4_000;

export interface PlannedEvent {
  /** Between the end of the event before it, in its track, and this one. */
  readonly gapMs: number;
  readonly event: ChaosEvent;
}

/** Tracks run beside each other, the events of one track one after the other; a phase begins when the one before it is over. */
export interface Phase {
  readonly tracks: readonly (readonly PlannedEvent[])[];
}

export interface ScheduleOptions {
  readonly seed: number;
  /** Rounds are added until they are expected to take this long; one round at least. */
  readonly durationMs: number;
  /** True: the first round too does several things at a time. */
  readonly isHurried?: boolean;
}

/** The chances of one round. */
interface Chances {
  readonly random: Random;
  readonly pace: Pace;
}

function away({ random, pace }: Chances): number {
  return random.between(pace.awayMs.min, pace.awayMs.max);
}

function soon(random: Random): number {
  return random.between(200, 1_500);
}

/** When retries that became due while their endpoint comes back are under way, and others of it are woken. */
function inRecovery(random: Random): number {
  return random.between(2_000, 5_000);
}

function deliverer(index: number): Target {
  return { service: "deliverer", index };
}

/** Faults of deliverers: these two, which the other tracks leave alone. */
function delivererFaults(chances: Chances, [first = 0, second = 1]: readonly number[]): ChaosEvent[] {
  const { random } = chances;
  return random.shuffled<ChaosEvent>([
    // Only when the others have taken over does it come back.
    { kind: "kill", target: deliverer(first), backAfterMs: away(chances) },
    { kind: "stop", target: deliverer(second), backAfterMs: soon(random) },
    { kind: "freeze", target: deliverer(first), forMs: away(chances) },
    { kind: "registry", target: deliverer(second), forMs: random.between(3_000, 6_000) },
  ]);
}

/** Faults of the processes in front of the deliverers. */
function otherFaults(chances: Chances): ChaosEvent[] {
  const { random } = chances;
  const router = (): Target => ({ service: "webhook-router", index: random.between(0, 1) });
  const ingest = (): Target => ({ service: "ingest", index: random.between(0, 1) });
  return random.shuffled<ChaosEvent>([
    { kind: "kill", target: router(), backAfterMs: soon(random) },
    { kind: "kill", target: ingest(), backAfterMs: soon(random) },
    { kind: "kill", target: { service: "control", index: 0 }, backAfterMs: soon(random) },
    { kind: "stop", target: router(), backAfterMs: soon(random) },
    { kind: "stop", target: ingest(), backAfterMs: soon(random) },
    { kind: "freeze", target: router(), forMs: away(chances) },
  ]);
}

/** Faults of what lies between and behind the processes; one broker at a time is missing. */
function networkFaults(chances: Chances, target: Target): ChaosEvent[] {
  const { random } = chances;
  const broker = (): number => random.between(0, BROKERS - 1);
  return random.shuffled<ChaosEvent>([
    { kind: "cut", target, how: "silent", forMs: away(chances) },
    { kind: "cut", target, how: "reset", forMs: away(chances) },
    { kind: "broker", broker: broker(), how: "stop", forMs: random.between(500, 3_000) },
    { kind: "broker", broker: broker(), how: "kill", forMs: random.between(500, 3_000) },
    { kind: "leaders", broker: broker() },
  ]);
}

function spaced({ random, pace }: Chances, events: readonly ChaosEvent[]): PlannedEvent[] {
  return events.map((event) => ({ gapMs: random.between(300, pace.maxGapMs), event }));
}

type Round = readonly [Phase, Phase, Phase, Phase];

export const PHASES_OF_A_ROUND: Round["length"] = 4;

/** From one deliverer to three, every fault, back to one, and the only one is killed while an endpoint comes back. */
function planRound(random: Random, isHurried: boolean): Round {
  const chances = { random, pace: isHurried ? HURRIED_PACE : PACE };
  const one = (event: ChaosEvent): Phase => ({ tracks: [spaced(chances, [event])] });
  const [target = 0, ...others] = random.shuffled([0, 1, 2]);
  const faults = [
    delivererFaults(chances, others),
    otherFaults(chances),
    networkFaults(chances, deliverer(target)),
  ].map((events) => spaced(chances, events));
  return [
    one({ kind: "scale", deliverers: 3 }),
    { tracks: isHurried ? faults : [faults.flat()] },
    one({ kind: "scale", deliverers: 1 }),
    one({
      kind: "kill",
      target: deliverer(0),
      backAfterMs: soon(random),
      afterRecoveryMs: inRecovery(random),
    }),
  ];
}

function expectedEventMs({ gapMs, event }: PlannedEvent): number {
  const ownMs = "forMs" in event ? event.forMs : "backAfterMs" in event ? event.backAfterMs : 0;
  const waitMs = event.kind === "kill" ? (event.afterRecoveryMs ?? 0) : 0;
  return gapMs + waitMs + ownMs + OVERHEAD_MS;
}

/** How long a schedule is expected to take. */
export function expectedMs(phases: readonly Phase[]): number {
  const trackMs = (track: readonly PlannedEvent[]): number =>
    track.reduce((sum, planned) => sum + expectedEventMs(planned), 0);
  return phases.reduce((sum, { tracks }) => sum + Math.max(...tracks.map(trackMs)), 0);
}

/** Rounds of every kind of event; every second one does three things at a time. */
export function planSchedule({ seed, durationMs, isHurried = false }: ScheduleOptions): Phase[] {
  const random = new Random(seed);
  const phases: Phase[] = [];
  for (let round = isHurried ? 1 : 0; ; round += 1) {
    phases.push(...planRound(random, round % 2 === 1));
    if (expectedMs(phases) >= durationMs) return phases;
  }
}
