import type { ServiceName } from "#contract";
import { onceOf, type Story } from "./story.ts";

/** After something went wrong: a session that nobody renews is over, answers that were lost are asked for again, partitions are opened. */
const RECOVERY_MS = 20_000;

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How much of a stretch of time was good for a service: none of its processes was disturbed, or has just been. */
export type GoodTime = (fromMs: number, toMs: number) => number;

const knownOf = onceOf(() => new Map<ServiceName, GoodTime>());

export function goodTime(story: Story, service: ServiceName): GoodTime {
  const ofStory = knownOf(story);
  const found = ofStory.get(service) ?? goodTimeOf(badSpans(story, service));
  ofStory.set(service, found);
  return found;
}

/** In order, none of them touching another. */
function badSpans({ happenings, plan }: Story, service: ServiceName): Span[] {
  const own = new Set(plan.processes.flatMap((each) => (each.service === service ? each.name : [])));
  const spans: { fromMs: number; toMs: number }[] = [];
  for (const happening of happenings) {
    if (happening.kind !== "disturbed" || !own.has(happening.process)) continue;
    const [fromMs, toMs] = [happening.atMs, happening.atMs + RECOVERY_MS];
    const last = spans.at(-1);
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else spans.push({ fromMs, toMs });
  }
  return spans;
}

function goodTimeOf(spans: readonly Span[]): GoodTime {
  return (fromMs, toMs) => {
    const bad = spans.map((span) => Math.min(toMs, span.toMs) - Math.max(fromMs, span.fromMs));
    return toMs - fromMs - bad.reduce((sum, ms) => sum + Math.max(0, ms), 0);
  };
}
