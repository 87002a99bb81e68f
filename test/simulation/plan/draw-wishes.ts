// People who pause, resume, retry, switch and delete destinations over the control API.

import type { Random } from "#testing";
import { topicMap } from "#topics";
import { drawControlProcesses, HELD_MS } from "./draw-control.ts";
import type { CallPlan, Fault, Plan, Timing, Wish } from "./plan.ts";

/** In so many worlds. */
const SHARE = 1 / 6;

const EARLIEST_MS = 6_000;
/** So long before the calm the last wish is made. */
const QUIET_MS = 2_000;
/** A call that waits for the longest delay, and hops a little. */
const DRAIN_MARGIN_MS = 45_000;

/** In these a wish that is forgotten shows: its calls would wait for longer than it may take. */
const LONG_DELAYS: readonly [readonly number[], ...(readonly number[])[]] = [
  [1_000, 3_000, 60_000],
  [2_000, 60_000],
  [1_000, 45_000, 90_000],
];

/** What a wish asks for. */
type WishKind = Wish extends infer W
  ? W extends Wish
    ? Omit<W, "id" | "atMs" | "destinationId">
    : never
  : never;

/** The same world, in which people use the control API instead of writing the configuration; in most worlds nothing changes. */
export function withWishes(plan: Plan, random: Random): Plan {
  if (!random.chance(SHARE)) return plan;
  const hasControl = plan.processes.some(({ service }) => service === "control");
  const processes = hasControl ? [] : drawControlProcesses(random.split("processes"));
  const timing = withDelays(plan.timing, random.split("delays"));
  return {
    ...plan,
    timing: { ...timing, endMs: timing.endMs + (hasControl ? 0 : HELD_MS) },
    processes: [...plan.processes, ...processes],
    changes: [],
    faults: plan.faults.map((fault) => withTopic(fault, plan.timing, timing)),
    wishes: plan.destinations.flatMap(({ id }, index) =>
      drawWishes(plan, { destinationId: id, prefix: `w${index + 1}`, random: random.split(id) }),
    ),
  };
}

function withDelays(timing: Timing, random: Random): Timing {
  if (random.chance(0.4)) return timing;
  const retryDelaysMs = random.pick(LONG_DELAYS);
  const longestMs = Math.max(...retryDelaysMs);
  return { ...timing, retryDelaysMs, endMs: timing.calmMs + 2 * longestMs + DRAIN_MARGIN_MS };
}

/** A topic of a delay that there is not any more is that of the next one in its place. */
function withTopic(fault: Fault, before: Timing, after: Timing): Fault {
  if (fault.kind !== "retention") return fault;
  const [had, has] = [before, after].map(
    ({ retryDelaysMs }) => topicMap({ prefix: "", retryDelaysMs }).deliveryRetries,
  );
  const index = had?.findIndex(({ name }) => name === fault.topic) ?? -1;
  const topic = index < 0 ? fault.topic : (has?.[index] ?? has?.at(-1))?.name;
  return { ...fault, topic: topic ?? fault.topic };
}

interface WishesDrawn {
  readonly destinationId: string;
  /** Of their ids. */
  readonly prefix: string;
  readonly random: Random;
}

function drawWishes(plan: Plan, { destinationId, prefix, random }: WishesDrawn): Wish[] {
  return Array.from({ length: random.pick([0, 1, 1, 2, 3, 4]) }, (_, index): Wish => {
    const own = random.split(`wish ${index}`);
    const atMs = drawMoment(plan, own);
    return { id: `${prefix}.${index + 1}`, atMs, destinationId, ...drawKind(plan, atMs, own) };
  }).sort((one, other) => one.atMs - other.atMs);
}

/** Often just when a process has gone or come, or an endpoint has fallen ill: then people come. */
function drawMoment({ faults, scripts, timing: { calmMs } }: Plan, random: Random): number {
  const moments = [
    ...faults.flatMap(({ atMs, forMs }) => [atMs, atMs + forMs]),
    ...scripts.flatMap(({ phases }) => phases.flatMap(({ endMs, startMs }) => [startMs, endMs])),
  ];
  const moment = moments[Math.floor(random.next() * moments.length)];
  const atMs =
    moment !== undefined && random.chance(0.6)
      ? moment + random.between(0, 3_000)
      : random.between(EARLIEST_MS, calmMs);
  return Math.min(Math.max(atMs, EARLIEST_MS), calmMs - QUIET_MS);
}

function drawKind({ calls, timing: { calmMs } }: Plan, atMs: number, random: Random): WishKind {
  const forMs = Math.min(random.between(200, 12_000), calmMs - atMs);
  const callsWaitForMs = random.chance(0.25) ? random.between(1, 6) * 1_000 : undefined;
  return random.pick<() => WishKind>([
    () => ({ kind: "pause", forMs, callsWaitForMs }),
    () => ({ kind: "pause", forMs, callsWaitForMs }),
    () => ({ kind: "pause", forMs, callsWaitForMs }),
    () => ({ kind: "retry" }),
    () => ({ kind: "retry" }),
    () => ({ kind: "retry", ...drawChoice(calls, random) }),
    () => ({ kind: "switch_off", forMs }),
    () => ({ kind: "delete" }),
    () => ({ kind: "other_webhooks" }),
  ])();
}

/** Some calls, or those of one user. */
function drawChoice(calls: readonly CallPlan[], random: Random) {
  const chosen = Array.from(
    { length: random.between(1, 10) },
    () => calls[random.between(0, calls.length - 1)],
  );
  const [first] = chosen;
  if (first !== undefined && random.chance(0.5)) return { userId: first.userId };
  return { messageIds: [...new Set(chosen.flatMap((call) => call?.messageId ?? []))] };
}
