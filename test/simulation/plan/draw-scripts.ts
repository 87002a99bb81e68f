import type { Behaviour, Phase, Random, Script } from "#testing";
import type { DestinationPlan, Timing } from "./plan.ts";

/** How the endpoints are, all of them well again when the calm begins. */
export function drawScripts(
  destinations: readonly DestinationPlan[],
  timing: Timing,
  random: Random,
): Script[] {
  const urls = destinations.flatMap((destination) => destination.urls);
  return urls.map((url, index) => {
    const own = random.split(url);
    const quickest = own.pick([2, 10, 40]);
    return {
      url,
      usually: { kind: "well", fromMs: quickest, toMs: quickest * own.pick([2, 5]) },
      phases: own.chance(0.8) ? drawPhases(`e${index + 1}`, timing, own) : [],
    };
  });
}

function drawPhases(id: string, { calmMs }: Timing, random: Random): Phase[] {
  const phases: Phase[] = [];
  let startMs = random.between(3_000, Math.floor(calmMs / 2));
  for (let count = random.between(1, 4); count > 0 && startMs < calmMs; count -= 1) {
    const endMs = Math.min(calmMs, startMs + random.between(500, 15_000));
    phases.push({ id: `${id}.${phases.length + 1}`, startMs, endMs, behaviour: drawBehaviour(random) });
    // Often one trouble follows on the other, without a good moment in between.
    startMs = endMs + (random.chance(0.6) ? 0 : random.between(500, 10_000));
  }
  return phases;
}

function drawBehaviour(random: Random): Behaviour {
  const retryAfterS = random.chance(0.3) ? random.between(1, 5) : undefined;
  return random.pick<Behaviour>([
    { kind: "unavailable", retryAfterS },
    { kind: "unavailable", retryAfterS: undefined },
    { kind: "faltering", share: 0.1 + random.next() * 0.6 },
    { kind: "faltering", share: 0.1 + random.next() * 0.6 },
    { kind: "flaky", share: 0.1 + random.next() * 0.8 },
    { kind: "slow", fromMs: 500, toMs: random.between(1_000, 4_900) },
    { kind: "hanging" },
    { kind: "throttling", retryAfterS: random.between(1, 5) },
    { kind: "resetting" },
    { kind: "refusing_connections" },
    { kind: "rejecting" },
  ]);
}
