import type { Random } from "#testing";
import type { CallPlan, FilterPlan, Plan } from "./plan.ts";

/** In so many worlds. */
const SHARE = 1 / 6;

const numberOf = ({ fields }: CallPlan): number =>
  (fields?.["properties"] as { readonly n?: number } | undefined)?.n ?? 0;
const isEvent = ({ fields }: CallPlan, event: string): boolean => fields?.["event"] === event;

const FILTERS: readonly [FilterPlan, ...FilterPlan[]] = [
  {
    conditions: { path: "properties.n", op: "gte", value: 3 },
    takes: (call) => numberOf(call) >= 3,
  },
  {
    conditions: { event: "A", where: [{ path: "properties.n", op: "lt", value: 4 }] },
    takes: (call) => isEvent(call, "A") && numberOf(call) < 4,
  },
  {
    conditions: { any: [{ event: "B" }, { path: "userId", op: "eq", value: "u1" }] },
    takes: (call) => isEvent(call, "B") || call.userId === "u1",
  },
  {
    conditions: { all: [{ path: "type", op: "eq", value: "track" }, { not: { event: "A" } }] },
    takes: (call) => call.type === "track" && !isEvent(call, "A"),
  },
];

/** The same world, in which some destinations have a filter, and calls differ in what filters look at. */
export function withFilters(plan: Plan, random: Random): Plan {
  if (!random.chance(SHARE)) return plan;
  const destinations = plan.destinations.map((destination) =>
    random.chance(0.7) ? { ...destination, filter: random.pick(FILTERS) } : destination,
  );
  const calls = plan.calls.map((call): CallPlan => {
    const properties = { n: random.between(1, 5) };
    const said = call.type === "track" ? { event: random.pick(["A", "A", "B"]), properties } : { traits: {} };
    return { ...call, fields: { ...said, userId: call.userId } };
  });
  return { ...plan, destinations, calls };
}
