// Laws of regulations, as control works on them: each ends, whoever is deleted is told of, and nothing is sent of who is suppressed.
import { deletionMessageId, isDeletion, suppressionOf } from "#contract";
import { REQUEST_TIMEOUT_MS } from "#testing";
import { EPOCH_MS } from "#testing/host";
import { type Regulation, suppressionKey, userHash } from "#topics";
import { skewOf } from "./audience-skew.ts";
import { callKey } from "./identity.ts";
import { isTaken, isUntried } from "./job-events.ts";
import { law, type Story, type Written } from "./story.ts";

/** A regulation as it was asked for, with its users, and as it is in the end. */
interface Asked {
  readonly first: Regulation;
  readonly newest: Regulation;
}

/** By id, in the order in which they count. */
function askedOf({ control: { regulations } }: Story): Asked[] {
  const asked = [...Map.groupBy(regulations, ({ value }) => value.id).values()].flatMap((versions) => {
    const [first, newest] = [versions[0]?.value, versions.at(-1)?.value];
    return first === undefined || newest === undefined ? [] : { first, newest };
  });
  return asked.sort((one, other) => one.first.createdAtMs - other.first.createdAtMs);
}

const hasEnded = ({ newest: { state } }: Asked): boolean => state === "finished" || state === "failed";

/** Whatever dies, what was asked for goes on to its end; no earlier one is forgotten for a later one. */
export const regulationsEnd = law("a regulation that was granted ends", function* (story) {
  if (story.drainedAtMs === undefined) return;
  const asked = new Map(askedOf(story).map((one) => [one.first.id, one]));
  for (const happening of story.happenings)
    if (happening.kind === "regulated" && !asked.has(happening.regulationId))
      yield `${happening.regulationId}, granted at ${happening.atMs} ms, is nowhere`;
  for (const [id, one] of asked)
    if (!hasEnded(one)) yield `${id}, ${one.first.regulationType}, is ${one.newest.state}`;
});

/** Of all that was asked for of a user the last one counts, in each scope. */
export const lastRegulationCounts = law(
  "who is suppressed in the end was so by the last word",
  function* (story) {
    if (story.drainedAtMs === undefined) return;
    const wanted = new Map<string, { readonly isSuppressed: boolean; readonly what: string }>();
    for (const { first } of askedOf(story)) {
      const { id, regulationType, sourceId, subjectIds } = first;
      const does = suppressionOf(regulationType);
      if (does === undefined) continue;
      for (const userId of subjectIds)
        wanted.set(suppressionKey(sourceId, userHash(userId)), {
          isSuppressed: does === "begins",
          what: `${userId} in ${sourceId ?? "the workspace"}, by ${id}`,
        });
    }
    const held = new Map(
      story.control.suppressions.map(({ record, value }) => [record.key ?? "", value !== null]),
    );
    for (const [key, { isSuppressed, what }] of wanted)
      if ((held.get(key) ?? false) !== isSuppressed)
        yield `${what} is ${isSuppressed ? "" : "not "}suppressed, the table says otherwise`;
  },
);

/** A time in which a user is suppressed, milliseconds of the world. */
export interface Period {
  /** It was in the table. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** Calls that were accepted later are dropped, Unix ms. */
  readonly acceptedBeforeMs: number;
}

/** By key of the table. */
export function periodsOf({ control: { suppressions } }: Story): ReadonlyMap<string, readonly Period[]> {
  return new Map(
    Array.from(
      Map.groupBy(suppressions, ({ record }) => record.key ?? ""),
      ([key, versions]) => [
        key,
        versions.flatMap(({ atMs, value }, index): Period[] => {
          const untilMs = versions[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
          if (value === null) return [];
          return [{ fromMs: atMs, untilMs, acceptedBeforeMs: value.atMs + IN_FORCE_MS }];
        }),
      ],
    ),
  );
}

/** As contract 10.1 has it. */
const IN_FORCE_MS = 1_000;
/** Who is not hindered knows it by then. */
const KNOWN_WITHIN_MS = 2_000;
/** In which a process may go on without what is new: until it asks again where its answer was lost, which is longer than a session is. */
const HINDERED_MS = REQUEST_TIMEOUT_MS + 1_500;
/** By which clocks of two machines differ at most. */
const CLOCKS_MS = 4_000;

function* namesOf({
  body,
  type,
  userId,
}: {
  body: Buffer;
  type: string;
  userId: string | null;
}): Generator<string> {
  if (userId !== null) yield userId;
  if (type === "alias") yield (JSON.parse(body.toString()) as { previousId: string }).previousId;
}

/** Something kept the process from reading what was written meanwhile, or from noticing the time. */
export function wasHindered({ happenings }: Story, process: string, fromMs: number, toMs: number): boolean {
  return happenings.some(
    (happening) =>
      happening.kind === "disturbed" &&
      happening.process === process &&
      happening.atMs >= fromMs - HINDERED_MS &&
      happening.atMs <= toMs,
  );
}

type OfUser = Parameters<typeof namesOf>[0] & { readonly sourceId: string; readonly receivedAtMs: number };

/** For each call the times in which a router drops it that knows who is suppressed: who it names was so when it was accepted (contract 5.2). */
export function dropsOf(story: Story): (call: OfUser) => Period[] {
  const periods = periodsOf(story);
  return (call) =>
    [...namesOf(call)]
      .map(userHash)
      .flatMap((hash) => [suppressionKey(null, hash), suppressionKey(call.sourceId, hash)])
      .flatMap((key) => periods.get(key) ?? [])
      .filter(({ acceptedBeforeMs }) => call.type !== "delete" && call.receivedAtMs > acceptedBeforeMs);
}

/** No job is made of a call of a suppressed user, whether a router makes it or control for a destination that was connected. */
export const suppressedAreNotRouted = law("no job is made of a suppressed user's call", function* (story) {
  if (story.plan.members === undefined) return;
  const drops = dropsOf(story);
  const apartMs = skewOf(story);
  for (const job of story.jobs) {
    const { atMs, process, value } = job;
    if (value.replayId !== null || !isUntried(job)) continue;
    const broken = drops(value).find(
      ({ acceptedBeforeMs, fromMs, untilMs }) =>
        value.receivedAtMs > acceptedBeforeMs + apartMs &&
        atMs > fromMs + KNOWN_WITHIN_MS &&
        atMs < untilMs &&
        !wasHindered(story, process, fromMs, atMs),
    );
    if (broken !== undefined)
      yield `${callKey(value)} to ${value.destinationId}, by ${process} at ${atMs} ms, who is suppressed since ${broken.fromMs} ms`;
  }
});

interface Notification {
  readonly regulationId: string;
  readonly sourceId: string;
  readonly userId: string;
  readonly atMs: number | null;
  /** The source had no destination any more when its turn came: it may be told all the same, or nobody. */
  readonly hasFailed: boolean;
}

/** By message id: what each deletion has to tell of. */
function notificationsOf(asked: readonly Asked[]): ReadonlyMap<string, Notification> {
  const all = asked
    .filter(({ first }) => isDeletion(first.regulationType))
    .flatMap(({ first, newest }) => {
      const { id: regulationId, sourceIds, subjectIds } = first;
      return sourceIds.flatMap((sourceId) => {
        const hasFailed = newest.failedSourceIds.includes(sourceId);
        return subjectIds.map((userId) => ({
          regulationId,
          sourceId,
          userId,
          atMs: newest.deletedAtMs,
          hasFailed,
        }));
      });
    });
  return new Map(all.map((one) => [deletionMessageId(one), one]));
}

/** One `delete` call for each user and affected source, of the deletion's moment; none of it is lost, and nothing else is told. */
export const deletionsAreTold = law(
  "whoever is deleted is told of, in each affected source",
  function* (story) {
    if (story.drainedAtMs === undefined) return;
    const wanted = notificationsOf(askedOf(story));
    const told = Map.groupBy(
      story.calls.filter(({ value }) => value.type === "delete"),
      ({ value }) => value.messageId,
    );
    for (const [messageId, { atMs, hasFailed, regulationId, sourceId, userId }] of wanted) {
      const calls = told.get(messageId) ?? [];
      if (calls.length === 0 && !hasFailed) yield `${userId} in ${sourceId}, by ${regulationId}`;
      for (const { value } of calls)
        if (value.timestampMs !== atMs || value.userId !== userId || value.sourceId !== sourceId)
          yield `${messageId} of ${userId} in ${sourceId} says otherwise`;
    }
    for (const [messageId, calls] of told)
      if (!wanted.has(messageId)) yield `${messageId} of ${calls[0]?.value.userId} is of no deletion`;
  },
);

/** Destinations that nobody has touched. */
function* steadyOf({ plan }: Story) {
  for (const destination of plan.destinations)
    if (
      destination.madeAtMs === undefined &&
      !plan.wishes.some(({ destinationId }) => destinationId === destination.id)
    )
      yield destination;
}

/** A `delete` call goes to each destination of its source, whatever that takes. */
export const notificationsArrive = law("a deletion's notification arrives", function* (story) {
  if (story.drainedAtMs === undefined || story.plan.members === undefined) return;
  const deletes: readonly Written<{ messageId: string; userId: string | null; sourceId: string }>[] =
    story.calls.filter(({ value }) => value.type === "delete");
  for (const { id, sourceIds = [], urls } of steadyOf(story)) {
    const taken = new Set(
      story.requests.flatMap((each) => (isTaken(each) && urls.includes(each.url) ? each.messageId : [])),
    );
    for (const { atMs, value } of deletes) {
      if (!sourceIds.includes(value.sourceId) || taken.has(value.messageId)) continue;
      yield `${value.messageId} of ${value.userId}, written at ${atMs} ms, never came to ${id}`;
    }
  }
});

/** Whether the user's calls may have been dropped at this moment, by ingest or a router: suppressed then, or not long before. */
export function mayBeDropped(story: Story): (userId: string | null, atMs: number) => boolean {
  const begun = askedOf(story).flatMap(({ first }) =>
    suppressionOf(first.regulationType) === "begins"
      ? first.subjectIds.map((userId) => ({ userId, atMs: first.createdAtMs - EPOCH_MS - CLOCKS_MS }))
      : [],
  );
  return (userId, atMs) => begun.some((one) => one.userId === userId && one.atMs <= atMs);
}
