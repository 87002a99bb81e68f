// GET /v1/issues[/{id}], PATCH /v1/issues/{id}: failures by destination, webhook and reason.
import { actorOf } from "../../http/caller.ts";
import { IdParams } from "../../http/fields.ts";
import { conflictResponse } from "../../http/openapi.ts";
import { scannedPage } from "../../http/scanned-page.ts";
import type { ControlApp } from "../../http/server.ts";
import { isoTimeOrNull, SCANNED_TEXT, timePageOf } from "../../http/time-pages.ts";
import { checkBody } from "../../http/validation.ts";
import { checkDestination } from "../attempts/known.ts";
import type { Issue } from "../index/issues-table.ts";
import { changeIssue, existingIssue } from "./commands.ts";
import type { IssueParts } from "./parts.ts";
import {
  ISSUES_TEXT,
  IssueBody,
  IssuesQuery,
  IssueView,
  issueView,
  SHOWN_ATTEMPTS,
  WholeIssueView,
  wholeIssueView,
} from "./schemas.ts";
import { judgeIssue } from "./state.ts";

const TAGS = ["issues"];

export function addIssueRoutes(app: ControlApp, parts: IssueParts): void {
  addListRoute(app, parts);
  addReadRoute(app, parts);
  addChangeRoute(app, parts);
}

function addListRoute(app: ControlApp, parts: IssueParts): void {
  app.get(
    "/v1/issues",
    {
      schema: {
        tags: TAGS,
        operationId: "listIssues",
        summary: "What fails, by destination, webhook and reason; what began last comes first",
        description: `${ISSUES_TEXT} ${SCANNED_TEXT}`,
        querystring: IssuesQuery,
        response: { 200: timePageOf(IssueView) },
      },
    },
    async ({ query }) => {
      const { deliveries, host } = parts;
      const { index, progress } = deliveries;
      const { destinationId, state } = query;
      if (destinationId !== undefined) await checkDestination(parts, destinationId, "destinationId");
      const indexedUntil = isoTimeOrNull(progress.indexedUntilMs("attempts"));
      const { found, page } = await scannedPage({
        ...{ query, host },
        read: (rows) => index.listIssues({ destinationId }, rows),
        accepts: (issue) => state === undefined || judged(parts, issue).state === state,
        markOf: ({ place, sinceMs }) => ({ atMs: sinceMs, place }),
        count:
          state === undefined
            ? (most) => index.countUpTo({ kind: "issues", filter: { destinationId } }, most)
            : undefined,
      });
      return { data: found.map((issue) => viewOf(parts, issue)), ...page, indexedUntil };
    },
  );
}

function addReadRoute(app: ControlApp, parts: IssueParts): void {
  app.get(
    "/v1/issues/:id",
    {
      schema: {
        tags: TAGS,
        operationId: "getIssue",
        summary: "One of them, with its last requests and what they were answered",
        params: IdParams,
        response: { 200: WholeIssueView },
      },
    },
    async ({ params }) => wholeViewOf(parts, existingIssue(parts, params.id)),
  );
}

function addChangeRoute(app: ControlApp, parts: IssueParts): void {
  app.patch(
    "/v1/issues/:id",
    {
      attachValidation: true,
      schema: {
        tags: TAGS,
        operationId: "patchIssue",
        summary: "Acknowledge an issue, snooze it, resolve it, or open it again",
        params: IdParams,
        body: IssueBody,
        response: { 200: WholeIssueView, ...conflictResponse },
      },
    },
    async (request) => {
      checkBody(request);
      const whose = { id: request.params.id, by: actorOf(request) };
      return wholeViewOf(parts, await changeIssue(parts, whose, request.body));
    },
  );
}

function judged({ issueMarks, nowMs }: IssueParts, issue: Issue) {
  return judgeIssue(issue, issueMarks.get(issue.id), nowMs());
}

function viewOf(parts: IssueParts, issue: Issue) {
  return issueView(issue, judged(parts, issue), parts.destinations.get(issue.destinationId));
}

function wholeViewOf(parts: IssueParts, issue: Issue) {
  const attempts =
    issue.url === null ? [] : parts.deliveries.index.listAttemptsOfIssue(issue, SHOWN_ATTEMPTS);
  return wholeIssueView(viewOf(parts, issue), attempts, parts.destinations.get(issue.destinationId));
}
