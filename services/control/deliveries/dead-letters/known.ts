import { wasDeleted } from "../../http/audit/deleted.ts";
import { notFound, ProblemError } from "../../http/problem.ts";
import { checkDestination } from "../attempts/known.ts";
import type { ListedDeadLetter } from "../index/dead-letters-table.ts";
import { isUpToDate } from "../index/progress.ts";
import { isPresent } from "../known-source.ts";
import type { DeadLetterParts } from "./parts.ts";

interface Named {
  readonly destinationId: string | undefined;
  readonly sourceId: string | undefined;
  readonly replayId: string | undefined;
}

type Parts = Pick<DeadLetterParts, "deliveries" | "nowMs">;

const areAllRead = ({ deliveries: { progress }, nowMs }: Parts): boolean =>
  isUpToDate(progress, ["deadLetters"], nowMs());

/** A 503 instead, while it may still come to be known. */
function unlessReading(parts: Parts, missing: ProblemError): ProblemError {
  if (areAllRead(parts)) return missing;
  return new ProblemError("unavailable", "the failures are still being read");
}

/** The destination of an issue, among whose dead letters it is looked for. Throws a 404 or a 503. */
export function destinationOfIssue(parts: Parts, issueId: string): string {
  const issue = parts.deliveries.index.findIssue(issueId);
  if (issue === undefined) throw unlessReading(parts, notFound("issue", issueId, "issueId"));
  return issue.destinationId;
}

/** Throws a 404 or a 503. */
export function existingDeadLetter(parts: Parts, id: string): ListedDeadLetter {
  const letter = parts.deliveries.index.findDeadLetter(id);
  if (letter === undefined) throw unlessReading(parts, notFound("dead letter", id));
  return letter;
}

/**
 * Throws a 404 for a destination, a source or a replay that is not there. One that was deleted is known, as its calls may still die; so is a
 * replay that was forgotten, and of which something is kept. Nothing is refused before everything that is kept was read.
 */
export async function checkNamed(parts: DeadLetterParts, named: Named): Promise<void> {
  const { destinationId, sourceId, replayId } = named;
  const { replays } = parts;
  const { index } = parts.deliveries;
  if (!areAllRead(parts)) return;
  const isReplay = (id: string) =>
    !replays.isLoaded || replays.get(id) !== undefined || index.countDeadLetters({ replayId: id }) > 0;
  if (replayId !== undefined && !isReplay(replayId)) throw notFound("replay", replayId, "replayId");
  if (destinationId !== undefined) await checkDestination(parts, destinationId, "destinationId");
  const isSource = async (id: string) =>
    isPresent(parts, id) ||
    index.countDeadLetters({ sourceId: id }) > 0 ||
    (await wasDeleted(parts, "source", id));
  if (sourceId !== undefined && !(await isSource(sourceId))) throw notFound("source", sourceId, "sourceId");
}
