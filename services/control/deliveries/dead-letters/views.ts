// Dead letters as the API shows them (contract 10.6).

import { isUtf8 } from "node:buffer";
import { type Static, Type } from "typebox";
import { parseExactJson } from "#contract";
import type { DeadLetter, Replay } from "#topics";
import { TimeField } from "../../http/fields.ts";
import { nullableString } from "../../http/nullable.ts";
import { DeadLetterReasonField } from "../../http/reason-fields.ts";
import { isoTime, isoTimeOrNull } from "../../http/time-pages.ts";
import { USER_VIEW } from "../../http/user-fields.ts";
import type { DestinationLookup } from "../../resources/destinations/existing.ts";
import type { ListedDeadLetter } from "../index/dead-letters-table.ts";
import { outcomeView, WebhookOutcomeView } from "../waiting/view.ts";
import { DEAD_LETTER_EXAMPLE, WHOLE_DEAD_LETTER_EXAMPLE } from "./example.ts";
import { replaysOf } from "./selection.ts";

const LISTED_FIELDS = {
  id: Type.String(),
  deadAt: TimeField,
  reason: DeadLetterReasonField,
  message: Type.String({ description: "For people." }),
  destinationId: nullableString(),
  sourceId: nullableString(),
  messageId: nullableString(),
  ...USER_VIEW,
  type: nullableString("Of the call."),
  receivedAt: nullableString("When the call was accepted."),
  attempts: Type.Integer(),
  replayId: nullableString("The replay whose call ended here."),
  replayable: Type.Boolean({
    description:
      "False for a record that could not be read, which is no call, and for a call whose destination was deleted: that one can be replayed to another destination.",
  }),
  issueIds: Type.Array(Type.String(), {
    description: "The issues that it is part of, one for each webhook that failed.",
  }),
  replayIds: Type.Array(Type.String(), {
    description:
      "The replays of dead letters that sent it again, oldest first. What a replay of calls (POST /v1/replays) sent again shows in the view of its call: each request has its replayId.",
  }),
};

export const DeadLetterView = Type.Object(LISTED_FIELDS, {
  title: "DeadLetter",
  description: "A call that failed for good.",
  examples: [DEAD_LETTER_EXAMPLE],
});

export const WholeDeadLetterView = Type.Object(
  {
    ...LISTED_FIELDS,
    firstAttemptAt: nullableString(),
    origin: Type.String({ description: "topic-partition-offset of the record that ended here." }),
    webhooks: Type.Array(WebhookOutcomeView, {
      description: "The last outcome of every webhook that was tried.",
    }),
    body: Type.Unsafe<unknown>({ description: "The call's JSON, parsed; null when it is none." }),
    bodyText: nullableString("The exact body; null when it is no text."),
    bodyBase64: nullableString("The bytes of a record that is no text."),
    noBody: Type.Unsafe<"user_deleted" | null>({
      anyOf: [{ type: "string", enum: ["user_deleted"] }, { type: "null" }],
      description: "user_deleted: its user was deleted since, so no body is shown.",
    }),
  },
  {
    title: "WholeDeadLetter",
    description: "A call that failed for good, with its body and the reason of every webhook.",
    examples: [WHOLE_DEAD_LETTER_EXAMPLE],
  },
);

/** Beside the letter itself: whether its destination is still there, and what has sent it again. */
export function deadLetterView(
  letter: ListedDeadLetter,
  replays: readonly Replay[],
  { destinations }: DestinationLookup,
): Static<typeof DeadLetterView> {
  const { deadAtMs, place: _, receivedAtMs, replayable, ...listed } = letter;
  const hasDestination = destinations.get(letter.destinationId ?? "") !== undefined;
  return {
    ...listed,
    deadAt: isoTime(deadAtMs),
    receivedAt: isoTimeOrNull(receivedAtMs),
    replayable: replayable && hasDestination,
    issueIds: [...letter.issueIds],
    replayIds: replaysOf(letter, replays),
  };
}

export function wholeDeadLetterView(
  listed: Static<typeof DeadLetterView>,
  { firstAttemptAtMs, origin, outcomes, body }: DeadLetter,
  isOfDeleted: boolean,
): Static<typeof WholeDeadLetterView> {
  return {
    ...listed,
    firstAttemptAt: isoTimeOrNull(firstAttemptAtMs),
    origin,
    // What has no destination was never tried.
    webhooks: outcomes.map((outcome) => outcomeView(listed.destinationId ?? "", outcome)),
    ...(isOfDeleted ? WITHOUT_BODY : bodyOf(body)),
  };
}

const WITHOUT_BODY = { body: null, bodyText: null, bodyBase64: null, noBody: "user_deleted" } as const;

function bodyOf(body: Buffer) {
  const bodyText = isUtf8(body) ? body.toString("utf8") : null;
  const bodyBase64 = bodyText === null ? body.toString("base64") : null;
  return { body: parsedOrNull(bodyText), bodyText, bodyBase64, noBody: null };
}

function parsedOrNull(text: string | null): unknown {
  if (text === null) return null;
  try {
    return parseExactJson(text);
  } catch {
    return null;
  }
}
