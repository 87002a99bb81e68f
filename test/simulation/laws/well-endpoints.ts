// Whether the endpoints of a destination let a wish be carried out.
import { behaviourAt } from "#testing";
import type { WishStep } from "../world/history.ts";
import type { Story } from "./story.ts";

interface Asked {
  readonly wish: Pick<WishStep, "destinationId">;
  readonly askedAtMs: number;
}

export function urlsOf({ plan }: Story, id: string): readonly string[] {
  return plan.destinations.find((destination) => destination.id === id)?.urls ?? [];
}

const GOOD: ReadonlySet<string> = new Set(["slow", "well"]);
/** A request has so long (contract 2.5). */
const REQUEST_MS = 5_000;

/** What was sent before, while the endpoint was in trouble, fails after the wish, and may open its breaker then. */
function isToFail({ requests }: Story, urls: readonly string[], askedAtMs: number): boolean {
  return requests.some(
    ({ answeredAtMs = Number.POSITIVE_INFINITY, behaviour, startedAtMs, url }) =>
      urls.includes(url) &&
      !GOOD.has(behaviour) &&
      startedAtMs <= askedAtMs &&
      Math.min(answeredAtMs, startedAtMs + REQUEST_MS) > askedAtMs,
  );
}

/** From when the wish is asked for until it is to be carried out every endpoint is well: no breaker, and no failure, keeps a call back. */
export function areWell(story: Story, { askedAtMs, wish }: Asked, untilMs: number): boolean {
  if (isToFail(story, urlsOf(story, wish.destinationId), askedAtMs)) return false;
  return story.plan.scripts
    .filter(({ url }) => urlsOf(story, wish.destinationId).includes(url))
    .every((script) => {
      const isInTrouble = script.phases.some(
        ({ behaviour, endMs, startMs }) =>
          startMs < untilMs && endMs > askedAtMs && !GOOD.has(behaviour.kind),
      );
      return !isInTrouble && behaviourAt(script, askedAtMs).kind !== "hanging";
    });
}
