// What a condition comes to for one profile, as the API shows it.
import type { Static } from "typebox";
import type { LeafExplanation } from "#audiences";
import { isoTime } from "../../http/time-pages.ts";
import type { LeafField } from "./member-schemas.ts";

export function untilOf(untilMs: number | undefined): { until?: string } {
  return untilMs === undefined ? {} : { until: isoTime(untilMs) };
}

export function leafView({ untilMs, ...leaf }: LeafExplanation): Static<typeof LeafField> {
  return { ...leaf, ...untilOf(untilMs) };
}
