// When destinations were connected to audiences, and what they were told of them.
import { SPACE_SOURCE } from "#contract";
import type { DestinationConfig } from "#topics";
import { givenAs } from "../../../services/control/jobs/connection-syncs/records.ts";
import { takesAudiences } from "../../../services/control/jobs/connection-syncs/sync.ts";
import { type Change, changesOf } from "./audience-changes.ts";
import { isTaken } from "./job-events.ts";
import type { Story, Written } from "./story.ts";

/** One destination, and how it has been connected. */
export interface Connection {
  readonly id: string;
  /** Whether it is in the end. */
  readonly isConnected: boolean;
  /** Versions by which it began to take calls of audiences. */
  readonly begins: readonly Written<DestinationConfig>[];
}

export function connectionsOf({ control: { destinations } }: Story): Connection[] {
  return Array.from(
    Map.groupBy(destinations, ({ value }) => value.id),
    ([id, versions]) => {
      const takes = versions.map(({ value }) => takesAudiences(value));
      return {
        id,
        isConnected: takes.at(-1) === true,
        begins: versions.filter((_, index) => takes[index] === true && takes[index - 1] !== true),
      };
    },
  );
}

/** A change that a destination was told of, as often as it was told. */
export interface Told {
  readonly change: Change;
  readonly messageId: string;
  /** When it was written for the destination, at first, milliseconds of the world. */
  readonly writtenAtMs: number;
}

/** The id of the change's correction, by the product's function. */
function correctionOf({ audience, origin, user }: Change, destinationId: string): string | undefined {
  if (origin === undefined) return undefined;
  const { generation, incarnation, seq } = origin;
  const result = { computationId: audience.id, generation, seq, text: "", sinceMs: 0, deadlineMs: null };
  const value = { profileId: user, incarnation, result, audience, traits: "", isCorrection: true };
  return givenAs(value, { id: destinationId });
}

/** By message id, also of what corrects it at the destination. */
export function changesAt(story: Story, destinationId: string): ReadonlyMap<string, Change> {
  const byId = new Map<string, Change>();
  for (const change of changesOf(story)) {
    byId.set(change.messageId, change);
    const correction = correctionOf(change, destinationId);
    if (correction !== undefined) byId.set(correction, change);
  }
  return byId;
}

/** Everything of audiences that the destination has taken, in the order in which it was asked. */
export function toldOf(story: Story, destinationId: string): Told[] {
  const changes = changesAt(story, destinationId);
  const urls = story.plan.destinations.find(({ id }) => id === destinationId)?.urls ?? [];
  const writtenAtMs = new Map<string, number>();
  for (const { atMs, value } of story.jobs)
    if (value.destinationId === destinationId && value.sourceId === SPACE_SOURCE)
      writtenAtMs.set(value.messageId, Math.max(atMs, writtenAtMs.get(value.messageId) ?? 0));
  const taken = story.requests.filter((request) => isTaken(request) && urls.includes(request.url));
  return taken.flatMap(({ messageId }) => {
    const change = changes.get(messageId);
    return change === undefined ? [] : { change, messageId, writtenAtMs: writtenAtMs.get(messageId) ?? 0 };
  });
}
