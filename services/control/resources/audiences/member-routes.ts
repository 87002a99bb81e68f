// GET /v1/audiences/{id}/members and members.csv (contract 10.8).
import { Readable } from "node:stream";
import { createProfile, explainMembership } from "#audiences";
import type { AudienceConfig } from "#topics";
import { CsvQuery, writeText } from "../../http/csv.ts";
import { IdParams } from "../../http/fields.ts";
import { DEFAULT_LIMIT } from "../../http/pages.ts";
import { ProblemError } from "../../http/problem.ts";
import type { ControlApp } from "../../http/server.ts";
import { isoTime } from "../../http/time-pages.ts";
import { askedProfile } from "./asked-profile.ts";
import { compiledWithReferences } from "./compiled.ts";
import { type MemberParts, untilRead } from "./member-parts.ts";
import { leafView, MembersAnswer, MembersExport, MembersQuery, untilOf } from "./member-schemas.ts";
import { membersCsv, membersPage } from "./members.ts";
import { namedBy } from "./references.ts";
import { existing } from "./resource.ts";

const TAGS = ["audiences"];

export function addMemberRoutes(app: ControlApp, parts: MemberParts): void {
  app.get(
    "/v1/audiences/:id/members",
    {
      schema: {
        tags: TAGS,
        operationId: "getMembers",
        summary: "Who is in an audience, or why one user or account is or is not",
        params: IdParams,
        querystring: MembersQuery,
        response: { 200: MembersAnswer },
      },
    },
    async ({ params, query: { after, limit = DEFAULT_LIMIT, ...asked } }) => {
      const audience = await readable(parts, params.id);
      const profileId = askedProfile(asked, namedBy(audience).of);
      if (profileId !== undefined) return await explain(parts, audience, profileId);
      return { kind: "members" as const, ...(await membersPage(parts, audience.id, { after, limit })) };
    },
  );
  app.get(
    "/v1/audiences/:id/members.csv",
    {
      schema: {
        tags: TAGS,
        operationId: "exportMembers",
        summary: "All members of an audience, as CSV",
        params: IdParams,
        querystring: CsvQuery,
        produces: ["text/csv"],
        response: { 200: MembersExport },
      },
    },
    async ({ params, query }, reply) => {
      const audience = await readable(parts, params.id);
      const named = { id: audience.id, of: namedBy(audience).of };
      const rows = membersCsv(parts, named, writeText(query));
      return await reply.type("text/csv; charset=utf-8").send(Readable.from(rows));
    },
  );
}

/** Rejects with a 404, and with a 503 while the profiles are being read. */
async function readable(parts: MemberParts, id: string): Promise<AudienceConfig> {
  const audience = existing(parts, "audience", id);
  await untilRead(parts);
  return audience;
}

async function explain(
  { audiences, nowMs, profiles, slices }: MemberParts,
  audience: AudienceConfig,
  profileId: string,
) {
  const pause = slices.begin();
  const set = await compiledWithReferences(audience, audiences.list(), pause);
  const computation = set.computations.get(audience.id);
  if (computation === undefined) throw new ProblemError("failed", "the definition cannot be read any more");
  // Of who did nothing the same is asked: some conditions hold for them.
  const profile = (await profiles.get(profileId)) ?? createProfile(profileId, 0);
  const asked = { profile, nowMs: nowMs(), pause };
  const { isIncomplete, isMember, leaves, sinceMs, untilMs } = await explainMembership(computation, asked);
  return {
    kind: "membership" as const,
    member: isMember,
    ...(sinceMs !== undefined && { since: isoTime(sinceMs) }),
    ...untilOf(untilMs),
    ...(isIncomplete && { isIncomplete }),
    leaves: leaves.map(leafView),
  };
}
