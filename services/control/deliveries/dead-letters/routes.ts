// GET /v1/dead-letters[/{id}] (contract 10.6, 3.7).

import { Type } from "typebox";
import type { DeadLetter } from "#topics";
import { IdParams } from "../../http/fields.ts";
import { inTime, unavailable } from "../../http/in-time.ts";
import { ProblemError } from "../../http/problem.ts";
import { DeadLetterReasonField } from "../../http/reason-fields.ts";
import { refreshAll } from "../../http/refresh.ts";
import type { ControlApp } from "../../http/server.ts";
import {
  isoTimeOrNull,
  PAGE_FIELDS,
  RANGE_FIELDS,
  readPage,
  readRange,
  timePage,
  timePageOf,
} from "../../http/time-pages.ts";
import { totalOf } from "../../http/totals.ts";
import { checkNamed, destinationOfIssue, existingDeadLetter } from "./known.ts";
import type { DeadLetterParts } from "./parts.ts";
import { DeadLetterView, deadLetterView, WholeDeadLetterView, wholeDeadLetterView } from "./views.ts";

const TAGS = ["dead letters"];
const READ_WITHIN_MS = 5_000;

const DeadLettersQuery = Type.Object({
  destinationId: Type.Optional(Type.String({ minLength: 1 })),
  sourceId: Type.Optional(Type.String({ minLength: 1 })),
  reason: Type.Optional(DeadLetterReasonField),
  replayId: Type.Optional(
    Type.String({ minLength: 1, description: "Those that calls of this replay became again." }),
  ),
  issueId: Type.Optional(
    Type.String({
      minLength: 1,
      description: "Those that are part of this issue.",
    }),
  ),
  ...RANGE_FIELDS,
  ...PAGE_FIELDS,
});

export function addDeadLetterRoutes(app: ControlApp, parts: DeadLetterParts): void {
  const { deliveries, replays } = parts;
  app.get(
    "/v1/dead-letters",
    {
      schema: {
        tags: TAGS,
        operationId: "listDeadLetters",
        summary: "Calls that failed for good, newest first",
        querystring: DeadLettersQuery,
        response: { 200: timePageOf(DeadLetterView) },
      },
    },
    async ({ query }) => {
      const { destinationId, issueId, sourceId, reason, replayId } = query;
      await checkNamed(parts, { destinationId, sourceId, replayId });
      const issueOf = issueId === undefined ? undefined : destinationOfIssue(parts, issueId);
      const filter = {
        destinationId: destinationId ?? issueOf,
        issueId,
        sourceId,
        reason,
        replayId,
        ...readRange(query),
      };
      const found = deliveries.index.listDeadLetters(filter, readPage(query));
      const { data, next } = timePage(found, query, ({ deadAtMs, place }) => ({ atMs: deadAtMs, place }));
      const all = replays.list();
      return {
        data: data.map((letter) => deadLetterView(letter, all, parts)),
        next,
        ...(await totalOf({
          ...{ after: query.after, data, isLast: next === null },
          count: (most) => deliveries.index.countUpTo({ kind: "deadLetters", filter }, most),
        })),
        indexedUntil: isoTimeOrNull(deliveries.progress.indexedUntilMs("deadLetters")),
      };
    },
  );
  app.get(
    "/v1/dead-letters/:id",
    {
      schema: {
        tags: TAGS,
        operationId: "getDeadLetter",
        summary: "One of them, with its body and the reason of every webhook",
        params: IdParams,
        response: { 200: WholeDeadLetterView },
      },
    },
    async ({ params: { id } }) => {
      const listed = existingDeadLetter(parts, id);
      const whole = await readWhole(parts, listed.place);
      if (whole === undefined) throw new ProblemError("not_found", `dead letter ${id} is no longer kept`);
      await refreshAll([parts.deletedUsers], parts.host);
      // What is no call names no user in a way that anybody reads.
      const isOfDeleted = listed.replayable && parts.deletedUsers.isOfDeleted(whole);
      const shown = deadLetterView(listed, replays.list(), parts);
      return wholeDeadLetterView(shown, whole, isOfDeleted);
    },
  );
}

/** Undefined when its topic no longer has it. */
function readWhole({ deadLetters, host }: DeadLetterParts, place: number): Promise<DeadLetter | undefined> {
  const late = unavailable("Kafka does not give the dead letter now");
  return inTime({ host, withinMs: READ_WITHIN_MS, late }, async (signal) =>
    (await deadLetters.read([place], signal)).get(place),
  );
}
