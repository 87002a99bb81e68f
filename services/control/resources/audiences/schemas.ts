import { type Static, Type } from "typebox";
import { MAX_SENT_TRAITS } from "#audiences";
import type { JsonObject } from "#contract";
import { NameField, TimeField } from "../../http/fields.ts";
import { nullable, nullableInteger, nullableString } from "../../http/nullable.ts";
import { PageQuery } from "../../http/pages.ts";
import { AUDIENCE_STATUSES, type AudienceStatus } from "./status.ts";

const MAX_BACKFILL_DAYS = 400;

const KeyField = Type.String({
  description:
    "Name of the trait that is sent: the snake_case form of the name when it is not given. It never changes, and is never used again.",
});
// Its form is checked by the reader of definitions, which names what is wrong inside.
const DefinitionInput = Type.Unsafe<unknown>({ description: "As docs/use/audiences.md has it." });
const Paused = Type.Boolean({
  description: "Nothing is sent while it is; what has changed by then is sent when it is resumed.",
});
const Backfill = Type.Object(
  {
    mode: Type.Unsafe<"auto" | "none">({
      type: "string",
      enum: ["auto", "none"],
      description:
        "auto: as far as its conditions ask for, and the log reaches. none: calls count from its creation on.",
    }),
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_BACKFILL_DAYS,
        description: "Of auto: earlier calls do not count, counted from its creation.",
      }),
    ),
  },
  { additionalProperties: false, description: "How far the first sync looks back." },
);

const KindField = Type.Unsafe<string>({
  type: "string",
  enum: ["audience", "list"],
  description: "A list has no definition: its members are imported.",
});

const TrackCalls = Type.Boolean({
  description:
    "Each change is sent as a track call, too: Audience Entered or Audience Exited. Not of who is found when it is made.",
});
const SendTraits = Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
  maxItems: MAX_SENT_TRAITS,
  uniqueItems: true,
  description: "Names of traits that are sent along with each change, as the user has them then.",
});

export const CreateAudienceBody = Type.Object(
  {
    name: NameField,
    kind: Type.Optional(KindField),
    key: Type.Optional(KeyField),
    definition: Type.Optional(DefinitionInput),
    includeAnonymous: Type.Optional(
      Type.Boolean({ description: "Profiles without a userId may be members too." }),
    ),
    backfill: Type.Optional(Backfill),
    trackCalls: Type.Optional(TrackCalls),
    sendTraits: Type.Optional(SendTraits),
  },
  {
    additionalProperties: false,
    description: "Needs a definition, or `kind: list`.",
  },
);

export const PreviewBody = Type.Object(
  {
    definition: DefinitionInput,
    includeAnonymous: Type.Optional(
      Type.Boolean({ description: "Profiles without a userId may be members too." }),
    ),
  },
  { additionalProperties: false },
);

export const TraitPreviewBody = Type.Object({ definition: DefinitionInput }, { additionalProperties: false });

export const CreateComputedTraitBody = Type.Object(
  { name: NameField, key: Type.Optional(KeyField), definition: DefinitionInput },
  { additionalProperties: false },
);

const PATCHED = {
  name: Type.Optional(NameField),
  definition: Type.Optional(DefinitionInput),
  paused: Type.Optional(Paused),
};
const PATCH_RULES = {
  additionalProperties: false,
  description:
    "A JSON merge patch (RFC 7396): what is not named stays. A definition is replaced as a whole; only the differences that it makes are sent.",
};

export const PatchAudienceBody = Type.Object(
  { ...PATCHED, trackCalls: Type.Optional(TrackCalls), sendTraits: Type.Optional(SendTraits) },
  PATCH_RULES,
);

export const PatchComputedTraitBody = Type.Object(PATCHED, PATCH_RULES);

const StatusField = Type.Unsafe<AudienceStatus["status"]>({
  type: "string",
  enum: AUDIENCE_STATUSES,
  description:
    "preparing: the users of the present definition are being found. live: it follows every call. paused: nothing is sent.",
});

const filters = {
  ...PageQuery.properties,
  status: Type.Optional(StatusField),
  key: Type.Optional(Type.String({ minLength: 1, description: "The one with this key." })),
};
export const AudiencesQuery = Type.Object({ ...filters, kind: Type.Optional(KindField) });
export const ComputedTraitsQuery = Type.Object(filters);

export const DeleteAudienceQuery = Type.Object({
  exitAll: Type.Optional(
    Type.Boolean({ description: "The members are sent false first; otherwise nothing is sent." }),
  ),
});

/** What exitAll is to an audience is nothing to a computed trait. */
export const NoQuery = Type.Object({});

const Progress = Type.Object(
  {
    partitionsDone: Type.Integer(),
    partitions: Type.Integer(),
    profilesDone: Type.Integer({ description: "Profiles looked at so far." }),
    profilesTotal: Type.Integer({ description: "Of the partitions that have begun." }),
    eventsDone: Type.Integer({ description: "Events of the log that were read again, so far." }),
    eventsTotal: Type.Integer({ description: "Of the partitions that know where to begin." }),
    remainingSeconds: nullableInteger(
      "About how long it goes on, without what members are sent; null while nobody can tell.",
    ),
  },
  { description: "How far the first sync, or that of an edit, is; null when it is through." },
);

const SHARED_VIEW = {
  id: Type.String(),
  key: KeyField,
  name: NameField,
  definition: Type.Unsafe<JsonObject | null>({ description: "As it was given; null for a list." }),
  generation: Type.Integer({ description: "1 at first, plus one with each other definition." }),
  status: StatusField,
  paused: Paused,
  progress: nullable<Static<typeof Progress>>(Progress),
  coverageFrom: nullableString(
    "Calls before this moment do not count in its windows; null when all do that it asks for.",
  ),
  partialHistory: Type.Boolean({ description: "Calls that it asks for are not known any more." }),
  incompleteProfiles: Type.Integer({
    description: "Profiles that had no room for something it asks for. A second or two old.",
  }),
  createdAt: TimeField,
  updatedAt: TimeField,
};

export const AudienceView = Type.Object(
  {
    ...SHARED_VIEW,
    kind: KindField,
    includeAnonymous: Type.Boolean(),
    backfill: Type.Unsafe<Static<typeof Backfill> | null>({
      description: "As it was given; null when it was not.",
    }),
    trackCalls: TrackCalls,
    sendTraits: SendTraits,
    members: Type.Integer({ description: "A second or two old." }),
  },
  {
    title: "Audience",
    description: "The audience.",
    examples: [
      {
        id: "aud_0c9d51b7e6f24a38",
        key: "large_orders",
        name: "Large orders",
        definition: { event: "Order Completed", within: "30d" },
        generation: 1,
        status: "live",
        paused: false,
        progress: null,
        coverageFrom: "2026-08-04T09:30:00.000Z",
        partialHistory: false,
        incompleteProfiles: 0,
        createdAt: "2026-11-02T09:30:00.000Z",
        updatedAt: "2026-11-02T09:30:00.000Z",
        kind: "audience",
        includeAnonymous: false,
        backfill: { mode: "auto" },
        trackCalls: false,
        sendTraits: [],
        members: 1042,
      },
    ],
  },
);

export const ComputedTraitView = Type.Object(SHARED_VIEW, {
  title: "ComputedTrait",
  description: "The computed trait.",
});
