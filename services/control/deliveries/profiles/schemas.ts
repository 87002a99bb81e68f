import { Type } from "typebox";
import { formatDuration } from "#contract";
import { KEPT_MS } from "#topics";
import { TimeField } from "../../http/fields.ts";
import { nullableString, nullableTime } from "../../http/nullable.ts";
import { MOST_CALLS } from "./calls.ts";
import { MOST_IDS } from "./ids.ts";

/** Longer than any id that members, values and explanations take, with its prefix. */
const MAX_ID_LENGTH = 1_010;

export const ProfileParams = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: MAX_ID_LENGTH,
    description:
      "A userId; or anon: and an anonymousId; or group: and the groupId of an account. A userId that itself begins with anon:, user: or group: has user: before it.",
  }),
});

const Named = {
  id: Type.String(),
  key: Type.String({ description: "The trait that receivers are sent." }),
  name: Type.String(),
  since: TimeField,
  isIncomplete: Type.Boolean({
    description: "The profile had no room for something that its definition asks for.",
  }),
};

const ID_FIELDS = { userId: nullableString(), anonymousId: nullableString() };

const Trait = Type.Object(
  {
    key: Type.String(),
    value: Type.Unsafe<unknown>({ description: "As an identify call had it, of an account a group call." }),
    updatedAt: Type.String({ format: "date-time", description: "The timestamp of that call." }),
  },
  { title: "ProfileTrait" },
);

const ComputedTrait = Type.Object(
  { ...Named, value: Type.Unsafe<unknown>({ description: "As it was sent last." }) },
  { title: "ProfileComputedTrait" },
);

const Audience = Type.Object(
  {
    ...Named,
    member: Type.Boolean({ description: "As it was sent last; false: has left it, at `since`." }),
  },
  { title: "ProfileAudience" },
);

const Event = Type.Object(
  {
    type: Type.String({ description: "track, page or screen." }),
    name: Type.String(),
    count: Type.Integer(),
    firstAt: TimeField,
    lastAt: TimeField,
  },
  { title: "ProfileEvent", description: "All calls of one name." },
);

const Call = Type.Object(
  {
    messageId: Type.String(),
    sourceId: Type.String(),
    ...ID_FIELDS,
    type: Type.String(),
    receivedAt: TimeField,
    outcome: Type.String({ description: "routed, or why it was dropped." }),
    destinationIds: Type.Array(Type.String(), { description: "Those that got it." }),
  },
  { title: "ProfileCall" },
);

export const ProfileView = Type.Object(
  {
    id: Type.String({
      description: "Of the profile that speaks for the id: another one when they were merged.",
    }),
    ...ID_FIELDS,
    groupId: nullableString("Of an account."),
    isSuppressed: Type.Boolean({ description: "Of a suppressed user nothing else is said." }),
    isIncomplete: Type.Boolean({
      description:
        "Something was left out for want of room: calls of further names, or what the audiences and computed traits below ask for.",
    }),
    deletedAt: nullableTime("The moment of the last deletion: nothing of before is known."),
    traits: Type.Array(Trait, { description: "By key." }),
    computedTraits: Type.Array(ComputedTrait, { description: "Those that have a value, by key." }),
    audiences: Type.Array(Audience, {
      description: "Those that the user or account is in, then those left; the newest first.",
    }),
    events: Type.Array(Event, { description: "Called last comes first." }),
    ids: Type.Object(
      {
        data: Type.Array(Type.Object(ID_FIELDS, { title: "ProfileId" })),
        isComplete: Type.Boolean({
          description: "False: there are so many profiles that not all were looked at.",
        }),
      },
      { title: "ProfileIds", description: `The ids that were merged into this one, at most ${MOST_IDS}.` },
    ),
    calls: Type.Object(
      {
        data: Type.Array(Call),
        from: nullableTime("About then the look ended; null: everything that is recorded was looked at."),
      },
      {
        title: "ProfileCalls",
        description: `The newest, at most ${MOST_CALLS}, of those that routers have recorded (HOOKLINE_RECORDED_CALLS) in the last ${formatDuration(KEPT_MS.routedCalls)}. The newest records are looked through for a moment, whomever they are of.`,
      },
    ),
  },
  { title: "Profile", description: "What is known of one user or account." },
);
