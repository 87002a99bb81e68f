import type { Random } from "#testing";
import { EPOCH_MS } from "#testing/host";
import type { CallPlan } from "./plan.ts";

const START_MS = 4_000;
/** So long before the calm the last call is sent. */
const QUIET_MS = 2_000;
/** The windows are a minute and more. */
const LATEST_MS = 75_000;

/** In so many worlds users are anonymous at first. */
const LINKED_SHARE = 0.35;

/** Who calls, how, and by which ids: an anonymous id and a former user id belong to one user each, so whoever links them first is the same. */
interface Caller {
  readonly user: number;
  readonly isLinking: boolean;
  readonly random: Random;
}

type Sent = Pick<CallPlan, "type"> & { readonly fields: Readonly<Record<string, unknown>> };

/** Calls of a few users, many of them late by most of a window, so that windows end while the world lasts. */
export function drawAudienceCalls(calmMs: number, random: Random): CallPlan[] {
  const users = random.between(1, 6);
  const count = random.between(10, 90);
  const isLinking = random.chance(LINKED_SHARE);
  const endMs = calmMs - QUIET_MS;
  const burstAtMs = random.between(START_MS, endMs);
  const burstShare = random.chance(0.4) ? random.next() * 0.7 : 0;
  return Array.from({ length: count }, (_, index): CallPlan => {
    const own = random.split(`call ${index}`);
    const user = own.between(1, users);
    const isInBurst = own.chance(burstShare);
    const atMs = isInBurst ? burstAtMs + own.between(0, 300) : own.between(START_MS, endMs);
    const { fields, type } = drawSent({ user, isLinking, random: own });
    const lateMs = own.pick([0, 0, own.between(0, LATEST_MS), own.between(50_000, 60_000)]);
    const timestamp = lateMs === 0 ? {} : { timestamp: new Date(EPOCH_MS + atMs - lateMs).toISOString() };
    return {
      messageId: `m${index + 1}`,
      userId: `u${user}`,
      type,
      fields: { ...fields, ...timestamp },
      atMs,
      againAfterMs: own.chance(0.1) ? own.between(10, 20_000) : undefined,
    };
  }).sort((one, other) => one.atMs - other.atMs);
}

function drawSent({ isLinking, random, user }: Caller): Sent {
  const userId = `u${user}`;
  if (isLinking && random.chance(0.06))
    return { type: "alias", fields: { userId, previousId: `former-${userId}` } };
  if (random.chance(0.2))
    return { type: "identify", fields: { userId, traits: { plan: random.pick(["pro", "free"]) } } };
  const ids = isLinking ? drawIds(userId, random) : { userId };
  const event = random.pick(["A", "A", "B"]);
  return { type: "track", fields: { ...ids, event, properties: { n: random.between(1, 5) } } };
}

function drawIds(userId: string, random: Random): Readonly<Record<string, string>> {
  const anonymousId = `x-${userId}`;
  return random.pick([
    { userId },
    { userId },
    { userId },
    { userId, anonymousId },
    { anonymousId },
    { userId: `former-${userId}` },
  ]);
}
