// GET /v1/audiences/{id}/overlap.
import { type Static, Type } from "typebox";
import { IdParams } from "../../http/fields.ts";
import { refused } from "../../http/problem.ts";
import type { ControlApp } from "../../http/server.ts";
import { type MemberParts, untilRead } from "./member-parts.ts";
import { overlapOf } from "./overlap.ts";
import { existing, existingOf } from "./resource.ts";

const OverlapQuery = Type.Object({
  with: Type.String({ minLength: 1, maxLength: 1_000, description: "Id of the other audience or list." }),
});

const COUNT = {
  count: Type.Integer({ description: "Members, as they were sent." }),
  error: Type.Integer({
    description:
      "The count is at most so far from the truth: with 95 % certainty, or surely where five seconds did not reach all partitions. 0 when exact.",
  }),
};
const OfAudience = Type.Object({ id: Type.String(), key: Type.String(), ...COUNT });

const OverlapView = Type.Object(
  {
    audience: OfAudience,
    with: OfAudience,
    both: Type.Object(COUNT, { description: "Who is in both." }),
    exact: Type.Boolean({ description: "Every profile was looked at; otherwise the counts are estimates." }),
    profiles: Type.Integer({ description: "How many there are." }),
    profilesLookedAt: Type.Integer({
      description: "At most 100,000, evenly spread, and what five seconds allow.",
    }),
  },
  { description: "The sizes of both, and how many are in both." },
);

export function addOverlapRoute(app: ControlApp, parts: MemberParts): void {
  app.get(
    "/v1/audiences/:id/overlap",
    {
      schema: {
        tags: ["audiences"],
        operationId: "getOverlap",
        summary: "How many are in an audience and in another one",
        params: IdParams,
        querystring: OverlapQuery,
        response: { 200: OverlapView },
      },
    },
    async ({ params, query }): Promise<Static<typeof OverlapView>> => {
      const audience = existing(parts, "audience", params.id);
      const other = otherOf(parts, audience.id, query.with);
      await untilRead(parts);
      const { isExact, one, other: others, ...found } = await overlapOf(parts, audience.id, other.id);
      return {
        audience: { id: audience.id, key: audience.key, ...one },
        with: { id: other.id, key: other.key, ...others },
        ...found,
        exact: isExact,
      };
    },
  );
}

function otherOf(parts: MemberParts, id: string, otherId: string) {
  if (otherId === id)
    throw refused([{ path: "with", message: "is the audience itself: name another one by its id" }]);
  const other = existingOf(parts, "audience").find((one) => one.id === otherId);
  if (other !== undefined) return other;
  throw refused([
    { path: "with", message: "is not the id of an audience or list: GET /v1/audiences has them" },
  ]);
}
