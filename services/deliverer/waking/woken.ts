import { type Endpoints, type PassParts, REQUESTED } from "./parts.ts";
import { WakeProgress } from "./progress.ts";
import type { OpenRequest } from "./retry-request.ts";

/** A destination that waits for one of the endpoints, or has requests. */
export interface Woken {
  /** The endpoint whose room its jobs wait for; of a deleted destination, which has none, its id. */
  readonly endpoint: string;
  /** The time of failure from which on jobs keep their due time, unless a request means them. */
  readonly failedBeforeMs: number;
  readonly requests: readonly OpenRequest[];
  readonly isGone: boolean;
  readonly progress: WakeProgress;
}

interface Known {
  readonly parts: Pick<PassParts, "destination" | "room">;
  readonly endpoints: Endpoints;
  /** Requests of the destination. */
  readonly requests: readonly OpenRequest[];
}

/** Decides what a pass does with a destination's jobs; undefined where they stay. */
export function wokenBy(
  destinationId: string,
  { parts, endpoints, requests: asked }: Known,
): Woken | undefined {
  const state = parts.destination(destinationId);
  const isGone = state.kind === "gone";
  // Others than when the pass looked for them, where the destination was deleted meanwhile.
  const requests = asked.filter((each) => each.isOfDeleted === isGone);
  const progress = new WakeProgress();
  if (isGone && requests.length > 0)
    return { endpoint: destinationId, failedBeforeMs: REQUESTED, requests, isGone, progress };
  if (state.kind !== "active") return undefined;
  const own = [...state.webhooks.values()].map((webhook) => webhook.endpoint);
  const back = own.find((each) => endpoints.has(each));
  const open = requests.length === 0 ? back : own.find((each) => parts.room.isOpen(each));
  const endpoint = open ?? back ?? (requests.length === 0 ? undefined : own[0]);
  if (endpoint === undefined) return undefined;
  const failedBeforeMs = endpoints.get(back ?? "") ?? REQUESTED;
  return { endpoint, failedBeforeMs, requests, isGone, progress };
}
