// Everything that is known of a call at one destination, in the order in which it happened, with what comes next at the end.
import type { Schemas } from "../../api/client.ts";

export type TimelineEntry =
  | { readonly kind: "attempt"; readonly at: string; readonly attempt: Schemas["Attempt"] }
  | { readonly kind: "dead"; readonly at: string; readonly letter: Schemas["DeadLetter"] }
  | { readonly kind: "next"; readonly at: string | null; readonly next: Schemas["NextAttempt"] };

type Known = Pick<Schemas["CallAtDestination"], "attempts" | "deadLetters" | "next">;

const timeOf = ({ at }: TimelineEntry): number => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at));

export function timelineOf({ attempts, deadLetters, next }: Known): readonly TimelineEntry[] {
  const past: readonly TimelineEntry[] = [
    ...attempts.map((attempt) => ({ kind: "attempt", at: attempt.startedAt, attempt }) as const),
    ...deadLetters.map((letter) => ({ kind: "dead", at: letter.deadAt, letter }) as const),
  ];
  const coming = next.map((each) => ({ kind: "next", at: each.nextAttemptAt, next: each }) as const);
  return [
    ...past.toSorted((a, b) => timeOf(a) - timeOf(b)),
    ...coming.toSorted((a, b) => timeOf(a) - timeOf(b)),
  ];
}
