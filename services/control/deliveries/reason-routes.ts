// GET /v1/reasons: what every reason means, for whoever shows one to people.
import { type Static, type TSchema, Type } from "typebox";
import {
  DEAD_LETTERS,
  DIVERTS,
  DROPS,
  PASSED_OVER,
  PERMANENT,
  REJECTIONS,
  RETRYABLE,
  type Reason,
  type Reasons,
} from "#contract";
import {
  DeadLetterReasonField,
  DivertReasonField,
  DropReasonField,
  OutcomeReasonField,
  PassedOverReasonField,
  RejectionCodeField,
} from "../http/reason-fields.ts";
import type { ControlApp } from "../http/server.ts";

const TEXTS = {
  meaning: Type.String({ description: "What has happened." }),
  action: Type.String({ description: "What somebody can do about it." }),
};
const listOf = (reason: TSchema & { readonly description?: string }) =>
  Type.Array(Type.Object({ reason: Type.Unsafe<string>(reason), ...TEXTS }), {
    description: reason.description ?? "",
  });

const ReasonsView = Type.Object(
  {
    rejections: listOf(RejectionCodeField),
    drops: listOf(DropReasonField),
    passedOver: listOf(PassedOverReasonField),
    outcomes: listOf(OutcomeReasonField),
    diverts: listOf(DivertReasonField),
    deadLetters: listOf(DeadLetterReasonField),
  },
  { title: "Reasons", description: "The closed lists of reasons, in the order of a call's way." },
);

const REASONS: Static<typeof ReasonsView> = {
  rejections: listed(REJECTIONS),
  drops: listed(DROPS),
  passedOver: listed(PASSED_OVER),
  outcomes: listed({ ...RETRYABLE, ...PERMANENT }),
  diverts: listed(DIVERTS),
  deadLetters: listed(DEAD_LETTERS),
};

function listed<R extends string>(
  reasons: Reasons<R>,
): { reason: string; meaning: string; action: string }[] {
  return Object.entries<Reason>(reasons).map(([reason, texts]) => ({ reason, ...texts }));
}

export function addReasonRoute(app: ControlApp): void {
  app.get(
    "/v1/reasons",
    {
      schema: {
        tags: ["deliveries"],
        operationId: "listReasons",
        summary:
          "What every reason means: of rejections, drops, destinations passed over, attempts, diverts and dead letters",
        response: { 200: ReasonsView },
      },
    },
    () => REASONS,
  );
}
