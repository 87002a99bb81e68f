// Anonymous ids that are never linked, and forgotten when nobody has used them for long.
import type { Random } from "#testing";
import type { AudienceWrite, CallPlan, Plan } from "./plan.ts";

const COOKIES_SHARE = 0.35;
const ANONYMOUS_SHARE = 0.75;
/** A few visits of some seconds, far enough apart that it is sure what is between them. */
const VISIT_MS = 1_500;
const START_MS = 4_000;
const QUIET_MS = 2_000;

/** Whose id is linked to a user takes along what is known of it, or does not where that is forgotten: no law could tell. */
function isLinking({ calls }: Plan): boolean {
  return calls.some(({ fields, type }) => type === "alias" || fields?.["anonymousId"] !== undefined);
}

/** In a share of the worlds, beside everything else that happens in them. */
export function withCookies(plan: Plan, random: Random): Plan {
  if (isLinking(plan) || !random.chance(COOKIES_SHARE)) return plan;
  const anonymousRetentionMs = random.between(3, 20) * 1_000;
  const calls = [...plan.calls, ...drawVisits(plan, random.split("visits"))];
  return {
    ...plan,
    anonymousRetentionMs,
    calls: calls.sort((one, other) => one.atMs - other.atMs),
    audiences: withAnonymous(plan.audiences, random.split("audiences")),
  };
}

/** All versions of an audience, or none. */
function withAnonymous(writes: readonly AudienceWrite[], random: Random): AudienceWrite[] {
  return writes.map((write) => {
    const { config } = write;
    const isAnonymous = config.kind === "audience" && random.split(config.id).chance(ANONYMOUS_SHARE);
    return isAnonymous ? { ...write, config: { ...config, includeAnonymous: true } } : write;
  });
}

function drawVisits({ timing }: Plan, random: Random): CallPlan[] {
  return Array.from({ length: random.between(1, 4) }, (_, index) => {
    const own = random.split(`cookie ${index}`);
    const visits = own.pick([1, 1, 2, 3]);
    return Array.from({ length: visits }, () => {
      const fromMs = own.between(START_MS, timing.calmMs - QUIET_MS - VISIT_MS);
      return Array.from({ length: own.between(1, 3) }, () => fromMs + own.between(0, VISIT_MS));
    })
      .flat()
      .map((atMs, place): CallPlan => {
        const fields = {
          anonymousId: `cookie-${index + 1}`,
          event: own.pick(["A", "A", "B"]),
          properties: { n: own.between(1, 5) },
        };
        const messageId = `c${index + 1}-${place + 1}`;
        return {
          messageId,
          userId: `cookie-${index + 1}`,
          type: "track",
          fields,
          atMs,
          againAfterMs: undefined,
        };
      });
  }).flat();
}
