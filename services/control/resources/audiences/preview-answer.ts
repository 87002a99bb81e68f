// What previews of audiences and of computed traits say alike.
import { type Static, Type } from "typebox";
import type { AudienceConfig } from "#topics";
import { nullableInteger } from "../../http/nullable.ts";
import { accountsFromMs } from "./compiled.ts";
import type { MemberParts } from "./member-parts.ts";
import { preparationOf } from "./preparation.ts";
import type { Preview } from "./preview.ts";

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

export const PREVIEW_FIELDS = {
  exact: Type.Boolean({
    description:
      "Every profile was looked at, and there are no unknownCalls and no unknownAudiences; otherwise the count is an estimate.",
  }),
  countError: nullableInteger(
    "The count is at most so far from the estimate: with 95 % certainty, or surely where five seconds did not reach all partitions. 0 when exact; null while there are unknownCalls or unknownAudiences.",
  ),
  profiles: Type.Integer({
    description: "How many there are; of a definition of accounts, how many accounts.",
  }),
  profilesLookedAt: Type.Integer({
    description: "At most 20,000, evenly spread, and what five seconds allow.",
  }),
  partialHistory: Type.Boolean({
    description:
      "Calls of the past that it asks for are not known from profiles; they count as if they had not come.",
  }),
  preparation: Type.Unsafe<Static<typeof PreparationView> | null>({
    ...PreparationView,
    type: ["object", "null"],
  }),
  unknownCalls: Type.Array(Type.String(), { description: "The names of those calls." }),
};

/** No key is like it: it names nothing, and nothing names it. */
export const PREVIEW_KEY = " preview";

export async function previewAnswer<E>(
  parts: MemberParts,
  config: AudienceConfig,
  { isExact, profilesJudged, sample: _, ...found }: Preview<E>,
) {
  const preparation = await preparationOf(parts, config, found.profiles);
  const isBeforeAccounts = accountsFromMs(config, parts.audiences.list(), parts.nowMs()) !== undefined;
  return {
    ...found,
    preparation: preparation ?? null,
    exact: isExact && !isBeforeAccounts,
    profilesLookedAt: profilesJudged,
    partialHistory: found.unknownCalls.length > 0 || isBeforeAccounts,
  };
}
