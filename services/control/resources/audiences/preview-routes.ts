// POST /v1/audiences/preview.
import { type Static, Type } from "typebox";
import { nullableString } from "../../http/nullable.ts";
import { problemResponses } from "../../http/openapi.ts";
import type { ControlApp } from "../../http/server.ts";
import { checkBody } from "../../http/validation.ts";
import { createAudience } from "./audience.ts";
import { leafView } from "./leaf-view.ts";
import { type MemberParts, untilRead } from "./member-parts.ts";
import { LeafField } from "./member-schemas.ts";
import { preparationOf } from "./preparation.ts";
import { previewOf } from "./preview.ts";
import { previewProblems } from "./rules.ts";
import { PreviewBody } from "./schemas.ts";

const PreparationView = Type.Object(
  {
    eventsToRead: Type.Integer({ description: "Events of the log that are read again." }),
    seconds: Type.Integer({
      description:
        "About how long one audience processor takes; several take a share each. What members are sent comes on top.",
    }),
  },
  { description: "What is to be done before it is live; null when Kafka does not say how long the log is." },
);

const PreviewView = Type.Object(
  {
    estimatedCount: Type.Integer({ description: "Members that it would have now." }),
    exact: Type.Boolean({
      description:
        "Every profile was looked at, and there are no unknownCalls; otherwise the count is an estimate.",
    }),
    countError: Type.Unsafe<number | null>({
      type: ["integer", "null"],
      description:
        "The count is at most so far from the estimate: with 95 % certainty, or surely where five seconds did not reach all partitions. 0 when exact; null while there are unknownCalls.",
    }),
    profiles: Type.Integer({ description: "How many there are." }),
    profilesLookedAt: Type.Integer({
      description: "At most 20,000, evenly spread, and what five seconds allow.",
    }),
    sample: Type.Array(
      Type.Object({
        userId: nullableString(),
        anonymousId: nullableString(),
        why: Type.Array(LeafField, { description: "What each condition comes to." }),
      }),
      { description: "Ten members at most." },
    ),
    partialHistory: Type.Boolean({
      description:
        "Calls of the past that it asks for are not known from profiles; they count as if they had not come.",
    }),
    preparation: Type.Unsafe<Static<typeof PreparationView> | null>({
      ...PreparationView,
      type: ["object", "null"],
    }),
    unknownCalls: Type.Array(Type.String(), { description: "The names of those calls." }),
  },
  { description: "What the audience would be." },
);

/** No key is like it: it names nothing, and nothing names it. */
const KEY = " preview";

export function addPreviewRoute(app: ControlApp, parts: MemberParts): void {
  app.post(
    "/v1/audiences/preview",
    {
      attachValidation: true,
      // It changes nothing.
      config: { scope: "read" },
      schema: {
        tags: ["audiences"],
        operationId: "previewAudience",
        summary: "Who would be in an audience; nothing is made",
        body: PreviewBody,
        response: { 200: PreviewView, ...problemResponses },
      },
    },
    async (request): Promise<Static<typeof PreviewView>> => {
      const { body } = request;
      checkBody(request, previewProblems(body, parts.audiences.list()));
      await untilRead(parts);
      const asked = { ...body, id: KEY, key: KEY, name: KEY, resource: "audience" } as const;
      const audience = createAudience(asked, parts.nowMs());
      const { isExact, profilesJudged, sample, ...found } = await previewOf(parts, audience);
      const preparation = await preparationOf(parts, audience, found.profiles);
      return {
        ...found,
        preparation: preparation ?? null,
        exact: isExact,
        profilesLookedAt: profilesJudged,
        sample: sample.map(({ why, ...member }) => ({ ...member, why: why.map(leafView) })),
        partialHistory: found.unknownCalls.length > 0,
      };
    },
  );
}
