// GET /v1/profiles/{id}: who is this.
import type { Static } from "typebox";
import { anonymousProfileId, ownerOf, type Profile, subjectOf } from "#audiences";
import { notFound } from "../../http/problem.ts";
import type { ControlApp } from "../../http/server.ts";
import { untilRead } from "../../resources/audiences/member-parts.ts";
import { recentCalls } from "./calls.ts";
import { linkedIds, userOfProfile, withSeen } from "./ids.ts";
import type { ProfileParts } from "./parts.ts";
import { ProfileParams, ProfileView } from "./schemas.ts";
import { type Around, profileView, silentView } from "./view.ts";

/** For each of the two looks: profiles that name this one, and calls of its ids. */
const LOOKS_MS = 250;

export function addProfileRoute(app: ControlApp, parts: ProfileParts): void {
  app.get(
    "/v1/profiles/:id",
    {
      schema: {
        tags: ["profiles"],
        operationId: "getProfile",
        summary: "What is known of one user or account: traits, audiences, events, ids and last calls",
        description:
          "As the audience processor has written it, a second or two ago. Only what audiences and computed traits have read of is known.",
        params: ProfileParams,
        response: { 200: ProfileView },
      },
    },
    async ({ params: { id } }) => await answerFor(parts, id),
  );
}

async function answerFor(parts: ProfileParts, id: string): Promise<Static<typeof ProfileView>> {
  await untilRead(parts);
  const found = await parts.profiles.find(id);
  const isHeard = [id, found?.id ?? id].every((each) => !isSuppressed(parts, each));
  if (!isHeard || (found !== undefined && found.profile === undefined)) return silentView(found?.id ?? id);
  if (found?.profile === undefined) throw notFound("profile", id);
  return profileView(found.profile, await around(parts, found.profile));
}

/** One whose profile is not there is as well. */
function isSuppressed({ suppressed }: ProfileParts, id: string): boolean {
  const owner = ownerOf(id);
  return "userId" in owner && suppressed.isSuppressed(owner.userId);
}

/** Of an account: its calls are those of its users. */
const NOTHING_AROUND = { ids: { data: [], isComplete: true }, calls: { data: [], fromMs: undefined } };

async function around(parts: ProfileParts, { deletedAtMs, id }: Profile): Promise<Around> {
  const configs = parts.audiences.list();
  if (subjectOf(id) === "accounts") return { ...NOTHING_AROUND, configs };
  const linked = await linkedIds(parts, { survivor: id, withinMs: LOOKS_MS });
  const known = { ...linked, data: linked.data.filter((each) => !isSuppressed(parts, each)) };
  const users = [id, ...known.data].map(userOfProfile);
  const afterMs = deletedAtMs ?? Number.NEGATIVE_INFINITY;
  const calls = await recentCalls(parts, { users, afterMs, withinMs: LOOKS_MS });
  if (known.isComplete) return { calls, configs, ids: known };
  const seen = calls.data.flatMap(({ anonymousId }) =>
    anonymousId === null ? [] : anonymousProfileId(anonymousId),
  );
  return { calls, configs, ids: await withSeen(parts, known, { seen, survivor: id }) };
}
