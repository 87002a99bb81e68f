// Accounts beside users: calls name them, and audiences are of them.
import type { Random } from "#testing";
import { configOf, type Definition } from "./draw-audiences.ts";
import type { AudienceWrite, CallPlan, Plan } from "./plan.ts";

const START_MS = 4_000;
const QUIET_MS = 2_000;

const OF_ACCOUNTS: readonly [Definition, ...Definition[]] = [
  { event: "A", within: "60s" },
  { event: "A", count: { op: "gte", value: 4 } },
  { event: "A", within: "60s", count: { op: "gte", value: 3 } },
  { event: "A", within: "2m", where: [{ path: "properties.n", op: "gte", value: 3 }] },
  { trait: "plan", op: "eq", value: "pro" },
  { all: [{ not: { event: "B", within: "60s" } }], everyone: true },
  {
    all: [
      { event: "A", within: "90s" },
      { trait: "plan", op: "eq", value: "pro" },
    ],
  },
];

const ON_MEMBERS: readonly [Definition, ...Definition[]] = [
  { members: { event: "A" }, count: { op: "gte", value: 2 } },
  { members: { event: "A", within: "60s" }, count: { op: "gte", value: 2 } },
  { members: { event: "A", within: "60s", count: { op: "gte", value: 2 } } },
  { members: { all: [{ event: "A", within: "2m" }, { not: { event: "B", within: "60s" } }] } },
  { members: { event: "B", within: "90s" }, count: { op: "eq", value: 0 }, everyone: true },
];

/** With its own audience of users, so that nothing else that happens to audiences changes what it comes to. */
const BY_AUDIENCE: readonly [Definition, ...Definition[]] = [
  { members: { audience: "gu" } },
  { members: { audience: "gu" }, count: { op: "gte", value: 2 } },
  { members: { audience: "gu" }, count: { op: "eq", value: 0 }, everyone: true },
  { members: { all: [{ event: "A" }, { not: { audience: "gu" } }] } },
];

const OF_MEMBERS: readonly [Definition, ...Definition[]] = [
  { event: "A", count: { op: "gte", value: 2 } },
  { event: "A", within: "60s" },
  { event: "A", where: [{ path: "properties.n", op: "gte", value: 3 }] },
];

/** Beside everything else that happens in the world, which stays what it was for users but for the group calls. */
export function withAccounts(plan: Plan, random: Random): Plan {
  const count = random.between(1, 3);
  const calls = plan.calls.map((call) => named(call, count, random.split(`call ${call.messageId}`)));
  const all = [...calls, ...drawGroupCalls(plan, count, random.split("groups"))];
  return {
    ...plan,
    calls: all.sort((one, other) => one.atMs - other.atMs),
    audiences: [...plan.audiences, ...drawAudiences(random.split("audiences"))],
  };
}

/** An application that knows accounts names one in most calls, and not always the same one. */
function named(call: CallPlan, accounts: number, random: Random): CallPlan {
  if (call.type === "alias" || call.fields === undefined || random.chance(0.3)) return call;
  const groupId = `g${random.between(1, accounts)}`;
  return { ...call, fields: { ...call.fields, context: { groupId } } };
}

/** Of an account always from the same user, so that they come in one order. */
function drawGroupCalls({ timing }: Plan, accounts: number, random: Random): CallPlan[] {
  return Array.from({ length: random.between(0, 8) }, (_, index): CallPlan => {
    const own = random.split(`call ${index}`);
    const account = own.between(1, accounts);
    const userId = `u${account}`;
    return {
      messageId: `g${index + 1}`,
      userId,
      type: "group",
      fields: { userId, groupId: `g${account}`, traits: { plan: own.pick(["pro", "free"]) } },
      atMs: own.between(START_MS, timing.calmMs - QUIET_MS),
      againAfterMs: own.chance(0.1) ? own.between(10, 20_000) : undefined,
    };
  });
}

/** Before the first call: what came before the first of them counts for no account. */
function drawAudiences(random: Random): AudienceWrite[] {
  const drawn = drawPlain(random);
  const own = random.split("members");
  // Beside the others, which stay what they were.
  const calls = own.chance(0.5) ? [written("gm", own.pick(ON_MEMBERS), own.chance(0.7) ? 1 : 12_000)] : [];
  const told = random.split("told");
  return [...drawn, ...calls, ...(told.chance(0.5) ? drawTold(told) : [])];
}

function written(id: string, definition: Definition, atMs: number): AudienceWrite {
  return { id, atMs, config: configOf(id, { of: "accounts", ...definition }, atMs) };
}

/** Made together with the audience that it names, or later. */
function drawTold(random: Random): AudienceWrite[] {
  const users = { id: "gu", atMs: 1, config: configOf("gu", random.pick(OF_MEMBERS), 1) };
  return [
    users,
    written("gt", random.pick(BY_AUDIENCE), random.chance(0.5) ? 2 : random.between(5_000, 15_000)),
  ];
}

function drawPlain(random: Random): AudienceWrite[] {
  return Array.from({ length: random.between(1, 3) }, (_, index): AudienceWrite => {
    const own = random.split(`audience ${index}`);
    const id = `g${index + 1}`;
    const definition = { of: "accounts", ...own.pick(OF_ACCOUNTS) };
    const sends = { hasTrackCalls: own.chance(0.4), sentTraits: own.chance(0.3) ? ["plan"] : [] };
    return { id, atMs: 1, config: { ...configOf(id, definition, 1), ...sends } };
  });
}
