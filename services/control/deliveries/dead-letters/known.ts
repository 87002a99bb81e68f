import { wasDeleted } from "../../http/audit/deleted.ts";
import { notFound, ProblemError } from "../../http/problem.ts";
import type { DeadLetterParts } from "./parts.ts";

interface Named {
  readonly destinationId: string | undefined;
  readonly sourceId: string | undefined;
  readonly replayId: string | undefined;
}

/** The destination of an issue, among whose dead letters it is looked for. Throws a 404, or a 503 while it may still come to be known. */
export function destinationOfIssue(
  { deliveries }: Pick<DeadLetterParts, "deliveries">,
  issueId: string,
): string {
  const { index, progress } = deliveries;
  const issue = index.findIssue(issueId);
  if (issue !== undefined) return issue.destinationId;
  if (progress.indexedUntilMs("deadLetters") === undefined)
    throw new ProblemError("unavailable", "the failures are still being read");
  throw notFound("issue", issueId, "issueId");
}

/**
 * Throws a 404 for a destination, a source or a replay that is not there. One that was deleted is known, as its calls may still die; so is a
 * replay that was forgotten, and of which something is kept. Nothing is refused before everything that is kept was read.
 */
export async function checkNamed(parts: DeadLetterParts, named: Named): Promise<void> {
  const { destinationId, sourceId, replayId } = named;
  const { destinations, replays, sources } = parts;
  const { index, progress } = parts.deliveries;
  if (progress.indexedUntilMs("deadLetters") === undefined) return;
  const isReplay = (id: string) =>
    !replays.isLoaded || replays.get(id) !== undefined || index.countDeadLetters({ replayId: id }) > 0;
  if (replayId !== undefined && !isReplay(replayId)) throw notFound("replay", replayId, "replayId");
  const isDestination = async (id: string) =>
    destinations.get(id) !== undefined ||
    index.knowsDestination(id) ||
    (await wasDeleted(parts, "destination", id));
  if (destinationId !== undefined && !(await isDestination(destinationId)))
    throw notFound("destination", destinationId, "destinationId");
  const isSource = async (id: string) =>
    sources.get(id) !== undefined ||
    index.countDeadLetters({ sourceId: id }) > 0 ||
    (await wasDeleted(parts, "source", id));
  if (sourceId !== undefined && !(await isSource(sourceId))) throw notFound("source", sourceId, "sourceId");
}
