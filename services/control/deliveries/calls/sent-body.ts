// The body of a call, from wherever it still stands: where it waits, among the accepted calls, or among the dead letters.
import type { Host } from "#host";
import type { Call, DeadLetter } from "#topics";
import { inTime, unavailable } from "../../http/in-time.ts";
import { refreshAll } from "../../http/refresh.ts";
import type { PlaceReader } from "../../records/places/place-reader.ts";
import type { DeletedUsers } from "../../resources/regulations/deleted-users.ts";
import type { ListedDeadLetter } from "../index/dead-letters-table.ts";
import type { CallOfUser } from "./find.ts";
import type { Trace } from "./trace.ts";

export interface BodyWork {
  readonly acceptedCalls: PlaceReader<Call>;
  readonly deadLetters: PlaceReader<DeadLetter>;
  readonly deletedUsers: Pick<DeletedUsers, "isOfDeleted" | "mayBeOfDeleted" | "refresh">;
  readonly host: Pick<Host, "setTimeout">;
}

/** Why there is none to show. */
export const NO_BODY = ["user_deleted", "not_recorded", "no_longer_kept"] as const;
export type NoBody = (typeof NO_BODY)[number];

export type SentBody = { readonly body: Buffer } | { readonly noBody: NoBody };

interface Named {
  readonly messageId: string;
  readonly sourceId: string;
}

type Stands = Pick<Trace, "attempts" | "deadLetters" | "waiting">;
type Kept = Pick<DeadLetter, "body" | "messageId" | "sourceId" | "type" | "receivedAtMs">;

/** Somebody waits for the answer. */
const READ_MS = 5_000;

/** Of a call at one destination. Throws a 503 where Kafka does not give it in time. */
export async function findBody(work: BodyWork, call: CallOfUser & Named, trace: Stands): Promise<SentBody> {
  const { deletedUsers, host } = work;
  const kept = trace.waiting[0]?.job ?? (await fromLog(work, call, trace));
  // After the body was read: a deletion that another process has taken meanwhile counts.
  await refreshAll([deletedUsers], host);
  if (kept !== undefined)
    return deletedUsers.isOfDeleted(kept) ? { noBody: "user_deleted" } : { body: kept.body };
  if (deletedUsers.mayBeOfDeleted(listed(call, trace))) return { noBody: "user_deleted" };
  const stood = placeOf(call) !== undefined || letterOf(trace) !== undefined;
  return { noBody: stood ? "no_longer_kept" : "not_recorded" };
}

/** What is known of the call without its body. Of when it was accepted nothing may be known: then any deletion is later. */
function listed({ accepted, sourceId, userId }: CallOfUser & Named, { attempts, deadLetters }: Stands) {
  const one = accepted[0] ?? deadLetters[0];
  const type = one?.type ?? attempts[0]?.type ?? null;
  return { sourceId, type, userId, receivedAtMs: one?.receivedAtMs ?? null };
}

/** Of the call in the log of calls; a copy that came later may have another body. */
function placeOf({ accepted }: CallOfUser): number | undefined {
  return accepted.find(({ outcome }) => outcome !== "duplicate")?.callPlace;
}

/** The newest that is a call. */
function letterOf({ deadLetters }: Stands): ListedDeadLetter | undefined {
  return deadLetters.findLast(({ replayable }) => replayable);
}

async function fromLog(
  { acceptedCalls, deadLetters, host }: BodyWork,
  call: CallOfUser & Named,
  trace: Stands,
): Promise<Kept | undefined> {
  const readOne = async (
    reader: PlaceReader<Kept>,
    place: number | undefined,
    signal: AbortSignal,
  ): Promise<Kept | undefined> => {
    if (place === undefined) return undefined;
    const found = (await reader.read([place], signal)).get(place);
    // A topic that was made again has others at its places.
    const isIt = found?.messageId === call.messageId && found.sourceId === call.sourceId;
    return isIt ? found : undefined;
  };
  const late = unavailable("Kafka does not give the call now");
  return await inTime(
    { host, withinMs: READ_MS, late },
    async (signal) =>
      (await readOne(acceptedCalls, placeOf(call), signal)) ??
      (await readOne(deadLetters, letterOf(trace)?.place, signal)),
  );
}
