// How audiences and computed traits are changed: one change after the other, each checked against the newest that Kafka has.
import type { AudienceConfig } from "#topics";
import type { FieldProblem } from "../http/problem.ts";
import { ProblemError } from "../http/problem.ts";
import { refreshAll } from "../refresh.ts";
import {
  type AudiencePatch,
  createAudience,
  deleteAudience,
  type NewAudience,
  patchAudience,
} from "./audience.ts";
import type { AudienceParts } from "./parts.ts";
import { referrersOf } from "./references.ts";
import { type AudienceResource, existing } from "./resource.ts";
import { createProblems, keyOf, patchProblems } from "./rules.ts";
import { statusOf } from "./views.ts";

interface Change {
  readonly resource: AudienceResource;
  /** As it came, checked by nobody. */
  readonly body: unknown;
  /** Throws a 422 when the body's schema, or one of these, refuses it. */
  check(problems: readonly FieldProblem[]): void;
}

/** Durable when it resolves. Rejects with a ProblemError when nothing was changed, with a KafkaError when that is not known. */
export function create(parts: AudienceParts, { resource, body, check }: Change): Promise<AudienceConfig> {
  return inTurn(parts, { resource, change: "created" }, () => {
    check(createProblems(body, { resource, configs: parts.audiences.list() }));
    const { ids } = parts;
    const id = resource === "audience" ? ids.newAudienceId() : ids.newComputedTraitId();
    const given = body as Omit<NewAudience, "id" | "resource">;
    return createAudience({ ...given, id, resource, key: keyOf(given) }, parts.nowMs());
  });
}

/** As `create`; a patch that is refused changes nothing. */
export function patch(
  parts: AudienceParts,
  id: string,
  { resource, body, check }: Change,
): Promise<AudienceConfig> {
  return inTurn(parts, { resource, change: "updated" }, () => {
    const before = existing(parts, resource, id);
    check(patchProblems(body, before, { resource, configs: parts.audiences.list() }));
    const isPrepared = statusOf(before, parts).progress === null;
    return patchAudience(before, body as AudiencePatch, { nowMs: parts.nowMs(), isPrepared });
  });
}

interface Deletion {
  readonly resource: AudienceResource;
  readonly isExitAll: boolean;
}

/** As `create`; 409 while another audience names it. */
export function remove(
  parts: AudienceParts,
  id: string,
  { isExitAll, resource }: Deletion,
): Promise<AudienceConfig> {
  return inTurn(parts, { resource, change: "deleted" }, () => {
    const before = existing(parts, resource, id);
    refuseWhileNamed(before, parts.audiences.list());
    return deleteAudience(before, isExitAll, parts.nowMs());
  });
}

interface Told {
  readonly resource: AudienceResource;
  readonly change: "created" | "updated" | "deleted";
}

async function inTurn(
  parts: AudienceParts,
  { resource, change }: Told,
  next: () => AudienceConfig,
): Promise<AudienceConfig> {
  const { audiences, changes, host, telemetry } = parts;
  const config = await changes.run(async () => {
    // Another process may have used a key, or named this audience.
    await refreshAll([audiences], host);
    const after = next();
    await audiences.put(after);
    return after;
  });
  telemetry.changed(resource, change);
  return config;
}

function refuseWhileNamed({ key, kind }: AudienceConfig, configs: readonly AudienceConfig[]): void {
  const referrers = kind === "trait" ? [] : referrersOf(key, configs);
  if (referrers.length === 0) return;
  const named = referrers.slice(0, 5).join(", ");
  const more = referrers.length > 5 ? ` and ${referrers.length - 5} more` : "";
  throw new ProblemError("conflict", `other audiences name it: ${named}${more}`);
}
