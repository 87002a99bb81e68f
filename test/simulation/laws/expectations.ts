import { topicMap } from "#topics";
import type { CallPlan, DestinationPlan } from "../plan/plan.ts";
import { SOURCE_ID } from "../world/clients.ts";
import type { Happening } from "../world/history.ts";
import { callKey, type OfCall } from "./identity.ts";
import { mayBeDropped } from "./regulations.ts";
import type { Story } from "./story.ts";

/** A change is in force within so long, with a router that reads on after a fault. */
const IN_FORCE_MS = 30_000;
/** Written by then, a destination's first configuration is in force for every call: nothing goes wrong and nobody sends so early. */
const FIRST_BY_MS = 1_500;

/** A call with the id that it has: its user's own, another one, or null where it has an anonymousId alone. */
export type SentCall = Omit<CallPlan, "userId"> & OfCall;

export function sentOf(call: CallPlan): SentCall {
  const { fields, userId } = call;
  const own = fields?.["userId"];
  return { ...call, userId: fields === undefined ? userId : typeof own === "string" ? own : null };
}

function previousOf({ fields }: CallPlan): string | null {
  const previous = fields?.["previousId"];
  return typeof previous === "string" ? previous : null;
}

/** A call that a client was told is stored, and where it has to go. */
export interface Expectation {
  readonly call: SentCall;
  readonly storedAtMs: number;
  readonly destination: DestinationPlan;
}

type Configured = Extract<Happening, { kind: "configured" }>;

export function takes({ callTypes, filter, sourceIds }: DestinationPlan, call: CallPlan): boolean {
  if (sourceIds?.includes(SOURCE_ID) === false) return false;
  return (callTypes === null || callTypes.includes(call.type)) && (filter?.takes(call) ?? true);
}

/** Nobody has touched the destination from well before the call came. What did touch it may have decided about the call either way. */
function isSteady(changes: readonly Configured[], call: CallPlan): boolean {
  const latest = changes.at(-1);
  if (latest?.destination.config?.enabled !== true) return false;
  return (changes.length === 1 && latest.atMs <= FIRST_BY_MS) || latest.atMs + IN_FORCE_MS <= call.atMs;
}

/** The calls that were stored after the only destination of all was written, as the logs tell. */
function afterOnly({ calls, happenings, plan }: Story): ReadonlySet<string> {
  if (plan.destinations.length !== 1) return new Set();
  const topic = topicMap({ prefix: "", retryDelaysMs: [] }).destinationConfig.name;
  const place = happenings.findIndex((each) => each.kind === "appended" && each.record.topic === topic);
  const before = new Set(calls.filter((call) => call.place < place).map(({ value }) => callKey(value)));
  const all = calls.map(({ value }) => callKey(value));
  return new Set(place < 0 ? [] : all.filter((key) => !before.has(key)));
}

/** What has to arrive somewhere, by the configuration as it was. */
export function expectations(story: Story): Expectation[] {
  const { happenings, plan } = story;
  const known = afterOnly(story);
  const changes = Map.groupBy(
    happenings.filter((happening) => happening.kind === "configured"),
    ({ destination }) => destination.id,
  );
  /** A call without a destination is dropped only after a look at what is configured by then (decision 8). */
  const isKnown = (id: string, call: CallPlan): boolean =>
    changes.get(id)?.length === 1 && known.has(callKey(sentOf(call)));
  const mayDrop = mayBeDropped(story);
  const stored = happenings.filter((happening) => happening.kind === "stored" && !happening.isRepeated);
  return stored.flatMap((happening) => {
    if (happening.kind !== "stored") return [];
    const { call, atMs } = happening;
    if (mayDrop(sentOf(call).userId, atMs) || mayDrop(previousOf(call), atMs)) return [];
    return plan.destinations
      .filter(
        (destination) =>
          takes(destination, call) &&
          (isKnown(destination.id, call) || isSteady(changes.get(destination.id) ?? [], call)),
      )
      .map((destination) => ({ call: sentOf(call), storedAtMs: atMs, destination }));
  });
}
