import type { CallPlan, DestinationPlan } from "../plan/plan.ts";
import type { Happening } from "../world/history.ts";
import type { Story } from "./story.ts";

/** A change is in force within so long, with a router that reads on after a fault. */
const IN_FORCE_MS = 30_000;
/** Written by then, a destination's first configuration is in force for every call: nothing goes wrong and nobody sends so early. */
const FIRST_BY_MS = 1_500;

/** A call that a client was told is stored, and where it has to go. */
export interface Expectation {
  readonly call: CallPlan;
  readonly storedAtMs: number;
  readonly destination: DestinationPlan;
}

type Configured = Extract<Happening, { kind: "configured" }>;

function takes({ callTypes }: DestinationPlan, { type }: CallPlan): boolean {
  return callTypes === null || callTypes.includes(type);
}

/** Nobody has touched the destination from well before the call came. What did touch it may have decided about the call either way. */
function isSteady(changes: readonly Configured[], call: CallPlan): boolean {
  const latest = changes.at(-1);
  if (latest?.destination.config?.enabled !== true) return false;
  return (changes.length === 1 && latest.atMs <= FIRST_BY_MS) || latest.atMs + IN_FORCE_MS <= call.atMs;
}

/** What has to arrive somewhere, by the configuration as it was. */
export function expectations({ happenings, plan }: Story): Expectation[] {
  const changes = Map.groupBy(
    happenings.filter((happening) => happening.kind === "configured"),
    ({ destination }) => destination.id,
  );
  const stored = happenings.filter((happening) => happening.kind === "stored" && !happening.isRepeated);
  return stored.flatMap((happening) => {
    if (happening.kind !== "stored") return [];
    const { call, atMs } = happening;
    return plan.destinations
      .filter((destination) => takes(destination, call) && isSteady(changes.get(destination.id) ?? [], call))
      .map((destination) => ({ call, storedAtMs: atMs, destination }));
  });
}
