// POST /v1/audiences/preview and POST /v1/computed-traits/preview.
import { type Static, Type } from "typebox";
import { explainConditions, explainValue } from "#audiences";
import { TimeField } from "../../http/fields.ts";
import type { ControlApp } from "../../http/server.ts";
import { isoTime } from "../../http/time-pages.ts";
import { checkBody } from "../../http/validation.ts";
import { createAudience, type NewAudience } from "./audience.ts";
import { type MemberParts, untilRead } from "./member-parts.ts";
import { LeafField, leafView, OWNER_FIELDS, untilOf } from "./member-schemas.ts";
import { type Explain, previewOf } from "./preview.ts";
import { PREVIEW_FIELDS, PREVIEW_KEY, previewAnswer } from "./preview-answer.ts";
import { previewProblems, traitPreviewProblems } from "./rules.ts";
import { PreviewBody, TraitPreviewBody } from "./schemas.ts";

const PreviewView = Type.Object(
  {
    estimatedCount: Type.Integer({ description: "Members that it would have now." }),
    ...PREVIEW_FIELDS,
    unknownAudiences: Type.Array(Type.String(), {
      description:
        "Keys of audiences named in members of which not every user is known, as they are being prepared or there are more users than three seconds reach. Other users count as not in them.",
    }),
    sample: Type.Array(
      Type.Object({
        ...OWNER_FIELDS,
        why: Type.Array(LeafField, { description: "What each condition comes to." }),
      }),
      { description: "Ten members at most." },
    ),
  },
  { description: "What the audience would be." },
);

const TraitPreviewView = Type.Object(
  {
    estimatedCount: Type.Integer({
      description: "Users, or accounts, that would be sent a value now: none is sent that is 0, null or [].",
    }),
    ...PREVIEW_FIELDS,
    sample: Type.Array(
      Type.Object({
        ...OWNER_FIELDS,
        value: Type.Unsafe<unknown>({ description: "As it would be sent." }),
        calls: Type.Optional(
          Type.Integer({
            description:
              "How many calls it is made of; absent where profiles keep values, not how often each came.",
          }),
        ),
        firstAt: Type.Optional(TimeField),
        lastAt: Type.Optional(TimeField),
        until: Type.Optional(TimeField),
        isOverflowing: Type.Optional(Type.Boolean({ description: "There was more than a profile keeps." })),
      }),
      { description: "Ten of them at most, with what the value is made of." },
    ),
  },
  { title: "TraitPreview", description: "What the computed trait would be." },
);

/** Of both: they change nothing, and are checked with more than their schema. */
const PREVIEWING = { attachValidation: true, config: { scope: "read" } } as const;

export function addPreviewRoutes(app: ControlApp, parts: MemberParts): void {
  app.post(
    "/v1/audiences/preview",
    {
      ...PREVIEWING,
      schema: {
        tags: ["audiences"],
        operationId: "previewAudience",
        summary: "Who would be in an audience; nothing is made",
        body: PreviewBody,
        response: { 200: PreviewView },
      },
    },
    async (request): Promise<Static<typeof PreviewView>> => {
      const { body } = request;
      checkBody(request, previewProblems(body, parts.audiences.list()));
      return await lookedAt(parts, { ...body, resource: "audience" }, async (audience, asked) => ({
        why: (await explainConditions(audience, asked)).map(leafView),
      }));
    },
  );
  app.post(
    "/v1/computed-traits/preview",
    {
      ...PREVIEWING,
      schema: {
        tags: ["computed traits"],
        operationId: "previewComputedTrait",
        summary: "Who would have a value of a computed trait, and of what it is made; nothing is made",
        body: TraitPreviewBody,
        response: { 200: TraitPreviewView },
      },
    },
    async (request): Promise<Static<typeof TraitPreviewView>> => {
      const { body } = request;
      checkBody(request, traitPreviewProblems(body));
      return await lookedAt(parts, { ...body, resource: "computed_trait" }, async (trait, asked) => {
        const { firstMs, lastMs, untilMs, ...found } = await explainValue(trait, asked);
        const times = {
          ...(firstMs !== undefined && { firstAt: isoTime(firstMs) }),
          ...(lastMs !== undefined && { lastAt: isoTime(lastMs) }),
        };
        return { ...found, ...times, ...untilOf(untilMs) };
      });
    },
  );
}

const UNNAMED = { id: PREVIEW_KEY, key: PREVIEW_KEY, name: PREVIEW_KEY };

async function lookedAt<E extends object>(
  parts: MemberParts,
  described: Omit<NewAudience, keyof typeof UNNAMED>,
  explain: Explain<E>,
) {
  await untilRead(parts);
  const config = createAudience({ ...described, ...UNNAMED }, parts.nowMs());
  const preview = await previewOf(parts, config, explain);
  return { ...(await previewAnswer(parts, config, preview)), sample: preview.sample };
}
