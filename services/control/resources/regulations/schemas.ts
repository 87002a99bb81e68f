import { type Static, Type } from "typebox";
import { isDeletion, MAX_SUBJECTS, REGULATION_TYPES, type RegulationType } from "#contract";
import type { Regulation } from "#topics";
import { TimeField } from "../../http/fields.ts";
import { nullableString } from "../../http/nullable.ts";
import { PageQuery } from "../../http/pages.ts";
import { isoTime } from "../../http/time-pages.ts";
import { hasEnded } from "./regulation.ts";

const MAX_USER_ID_CHARACTERS = 1_000;
export const REGULATION_STATUSES = ["initialized", "running", "finished", "failed"] as const;

const RegulationTypeField = Type.Unsafe<RegulationType>({
  type: "string",
  enum: REGULATION_TYPES,
  description:
    "DELETE_ONLY and SUPPRESS_WITH_DELETE delete the users and notify receivers. SUPPRESS_WITH_DELETE and SUPPRESS_ONLY drop their calls from now on, UNSUPPRESS ends that; each for the workspace or for one source, as it was begun.",
});
const StatusField = Type.Unsafe<string>({ type: "string", enum: REGULATION_STATUSES });

export const RegulationBody = Type.Object(
  {
    regulationType: RegulationTypeField,
    subjectType: Type.Unsafe<"USER_ID">({ type: "string", enum: ["USER_ID"] }),
    subjectIds: Type.Array(Type.String({ minLength: 1, maxLength: MAX_USER_ID_CHARACTERS }), {
      minItems: 1,
      maxItems: MAX_SUBJECTS,
      description: "User ids. They can be written, never read.",
    }),
    sourceId: Type.Optional(
      Type.String({ minLength: 1, description: "One source; without it the whole workspace." }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: "Answer what there is of the users, and do nothing." }),
    ),
  },
  { additionalProperties: false },
);

export const RegulationAccepted = Type.Object(
  { id: Type.String() },
  { title: "RegulationAccepted", description: "The regulation is durable, and goes on by itself." },
);

export const RegulationsQuery = Type.Object({
  ...PageQuery.properties,
  regulationType: Type.Optional(RegulationTypeField),
  status: Type.Optional(StatusField),
  sourceId: Type.Optional(Type.String({ minLength: 1, description: "Those for this source alone." })),
});

export const RegulationView = Type.Object(
  {
    id: Type.String(),
    regulationType: Type.String(),
    subjectType: Type.String(),
    subjectCount: Type.Integer({ description: "User ids, each counted once." }),
    sourceId: nullableString(),
    status: StatusField,
    sources: Type.Array(
      Type.Object({
        sourceId: Type.String(),
        status: Type.Unsafe<string>({
          type: "string",
          enum: REGULATION_STATUSES,
          description:
            "finished: its notifications are on their way to its destinations. failed: it had no enabled destination any more when its turn came.",
        }),
      }),
      {
        description:
          "Of a deletion the sources that had an enabled destination when it was asked for, else those that it is for.",
      },
    ),
    notified: Type.Integer({ description: "Delete notifications written so far." }),
    createdAt: TimeField,
    updatedAt: TimeField,
  },
  {
    title: "Regulation",
    description: "A regulation and how far it is; its progress is written every few seconds.",
  },
);

/** Of a source in a view, at most. */
const SOURCE_CHARACTERS = 64;

/** What may be large in the view of a regulation: a workspace may have a hundred thousand sources. */
export function sourceCharacters({ sourceIds }: Pick<Regulation, "sourceIds">): number {
  return sourceIds.length * SOURCE_CHARACTERS;
}

export function regulationView(regulation: Regulation): Static<typeof RegulationView> {
  const failed = new Set(regulation.failedSourceIds);
  const { id, regulationType, subjectCount, sourceId, state, sourceIds, notified } = regulation;
  return {
    id,
    regulationType,
    subjectType: "USER_ID",
    subjectCount,
    sourceId,
    status: state,
    sources: sourceIds.map((source, index) => ({
      sourceId: source,
      status: sourceStatus(regulation, index, failed.has(source)),
    })),
    notified,
    createdAt: isoTime(regulation.createdAtMs),
    updatedAt: isoTime(regulation.updatedAtMs),
  };
}

function sourceStatus(regulation: Regulation, index: number, hasFailed: boolean): string {
  const { regulationType, sourcesDone, state } = regulation;
  if (hasEnded(regulation) || index < sourcesDone) return hasFailed ? "failed" : "finished";
  // A suppression is written for all of them at once.
  if (!isDeletion(regulationType) || index === sourcesDone) return state;
  return "initialized";
}
