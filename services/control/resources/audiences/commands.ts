// How audiences and computed traits are changed: one change after the other, each checked against the newest that Kafka has.
import type { AudienceConfig } from "#topics";
import type { Actor } from "../../http/caller.ts";
import { checkIfMatch } from "../../http/entity-tag.ts";
import { type FieldProblem, ProblemError } from "../../http/problem.ts";
import { refreshAll } from "../../http/refresh.ts";
import { type AudiencePatch, deleteAudience, patchAudience } from "./audience.ts";
import type { AudienceParts } from "./parts.ts";
import { referrersOf } from "./references.ts";
import { type AudienceResource, existing } from "./resource.ts";
import { patchProblems } from "./rules.ts";
import { statusOf } from "./views.ts";

export interface Change {
  readonly resource: AudienceResource;
  readonly by: Actor;
  /** The header, of a change of what is there. */
  readonly ifMatch?: string | undefined;
  /** As it came, checked by nobody. */
  readonly body: unknown;
  /** Throws a 422 when the body's schema, or one of these, refuses it. */
  check(problems: readonly FieldProblem[]): void;
}

/** Durable when it resolves; a patch that is refused changes nothing. Rejects with a ProblemError then, with a KafkaError when that is not known. */
export function patch(
  parts: AudienceParts,
  id: string,
  { resource, body, check, by, ifMatch }: Change,
): Promise<AudienceConfig> {
  return inTurn(parts, { resource, by, change: "updated" }, () => {
    const before = existing(parts, resource, id);
    checkIfMatch(ifMatch, before);
    check(patchProblems(body, before, { resource, configs: parts.audiences.list() }));
    const isPrepared = statusOf(before, parts).progress === null;
    const after = patchAudience(before, body as AudiencePatch, { nowMs: parts.nowMs(), isPrepared });
    return { before, after };
  });
}

interface Deletion {
  readonly resource: AudienceResource;
  readonly isExitAll: boolean;
  readonly by: Actor;
  readonly ifMatch: string | undefined;
}

/** As `patch`; 409 while another audience names it. */
export function remove(
  parts: AudienceParts,
  id: string,
  { isExitAll, resource, by, ifMatch }: Deletion,
): Promise<AudienceConfig> {
  return inTurn(parts, { resource, by, change: "deleted" }, () => {
    const before = existing(parts, resource, id);
    checkIfMatch(ifMatch, before);
    refuseWhileNamed(before, parts.audiences.list());
    return { before, after: deleteAudience(before, isExitAll, parts.nowMs()) };
  });
}

interface Told {
  readonly by: Actor;
  readonly resource: AudienceResource;
  readonly change: "updated" | "deleted";
}

interface Edit {
  readonly before: AudienceConfig;
  readonly after: AudienceConfig;
}

async function inTurn(
  parts: AudienceParts,
  { resource, by, change }: Told,
  next: () => Edit,
): Promise<AudienceConfig> {
  const { audiences, changes, host, telemetry } = parts;
  const config = await changes.run(async () => {
    // Another process may have used a key, or named this audience.
    await refreshAll([audiences], host);
    const { before, after } = next();
    await audiences.replace({ before, after, by });
    return after;
  });
  telemetry.changed(resource, change);
  return config;
}

function refuseWhileNamed({ key }: AudienceConfig, configs: readonly AudienceConfig[]): void {
  const referrers = referrersOf(key, configs);
  if (referrers.length === 0) return;
  const named = referrers.slice(0, 5).join(", ");
  const more = referrers.length > 5 ? ` and ${referrers.length - 5} more` : "";
  throw new ProblemError("conflict", `audiences name it: ${named}${more}`);
}
