// The lives of users in a world of audiences, from the log of their events alone: a deletion ends one, and what comes after it begins another.
import { identityOf } from "#contract";
import { EPOCH_MS } from "#testing/host";
import type { Call, ProfileEventRecord } from "#topics";
import type { NaiveCall, NaivePerson } from "../../audiences/naive-definition.ts";
import { mergedOf, naiveCallOf } from "./audience-people.ts";
import { Suppressions } from "./audience-suppressions.ts";
import { onceOf, type Written } from "./story.ts";

/** A call, a row of an import, or that a suppression begins or ends, as the profile's log has it. */
export interface Happened {
  readonly offset: number;
  readonly call: NaiveCall | undefined;
  readonly list: { readonly id: string; readonly isMember: boolean } | undefined;
  /** When it may have been judged, Unix ms, unless time was further already. */
  readonly momentsMs: readonly number[];
  /** When it was where calls come in, Unix ms: time waits for it from then on. */
  readonly storedAtMs: number;
}

export interface Life {
  /** Offset of the deletion that ended the one before; -1 of the first. */
  readonly afterOffset: number;
  /** All that counts, in the order of the log. */
  readonly events: readonly Happened[];
  /** When what counted in the lives before may have been judged. */
  readonly earlierMs: readonly number[];
  /** Nobody can tell to which life a call belongs: it came after the deletion's moment, and before the deletion. */
  readonly isCertain: boolean;
}

type Event = Written<ProfileEventRecord>;

/** Names one receipt of a call: one that is sent again after its user was deleted counts anew, from then on. */
const copyOf = ({ messageId, receivedAtMs }: Pick<Call, "messageId" | "receivedAtMs">): string =>
  `${messageId} ${receivedAtMs}`;

/** When the call is judged, for the world's clocks: by its own times. */
function happenedOf({ atMs, record, value }: Event, storedAtMs: ReadonlyMap<string, number>): Happened {
  const { call, isMember, listId } = value;
  const place = { offset: record.offset };
  if (call === null) {
    const list = listId === null ? undefined : { id: listId, isMember: isMember === true };
    return {
      ...place,
      call: undefined,
      list,
      momentsMs: [record.timestampMs],
      storedAtMs: EPOCH_MS + atMs,
    };
  }
  const naive = naiveCallOf(call, record.offset, record.key?.startsWith("group:"));
  const momentsMs = [naive.receivedAtMs, naive.atMs];
  const stored = storedAtMs.get(copyOf(call)) ?? 0;
  return { ...place, call: naive, list: undefined, momentsMs, storedAtMs: EPOCH_MS + stored };
}

/** Reads one user's log. */
class Biographer {
  readonly #storedAtMs: ReadonlyMap<string, number>;
  readonly lives: (Life & { events: Happened[]; isCertain: boolean })[] = [];
  #deletedAtMs = Number.NEGATIVE_INFINITY;
  #known = new Set<string>();
  readonly #suppressions = new Suppressions();

  constructor(storedAtMs: ReadonlyMap<string, number>) {
    this.#storedAtMs = storedAtMs;
    this.#begin(-1);
  }

  read(event: Event): void {
    const { call, deletedAtMs, kind, listedAtMs } = event.value;
    if (kind === "delete") {
      this.#delete(deletedAtMs ?? 0, event.record.offset);
      return;
    }
    if (kind === "suppress") this.#suppressions.read(event.value);
    else if (this.#suppressions.isOfNoAccount(event.value)) return;
    const happened = happenedOf(event, this.#storedAtMs);
    if (kind === "suppress") {
      this.lives.at(-1)?.events.push(happened);
      return;
    }
    const atMs = happened.call?.atMs ?? listedAtMs ?? 0;
    if (atMs <= this.#deletedAtMs || (call !== null && this.#known.has(identityOf(call)))) return;
    if (call !== null) this.#known.add(identityOf(call));
    this.lives.at(-1)?.events.push(happened);
  }

  #delete(atMs: number, offset: number): void {
    this.#deletedAtMs = Math.max(this.#deletedAtMs, atMs);
    const ended = this.lives.at(-1);
    const isCertain = ended?.events.every(({ call }) => (call?.atMs ?? 0) <= this.#deletedAtMs) ?? true;
    if (ended !== undefined) ended.isCertain &&= isCertain;
    this.#known = new Set();
    this.#begin(offset, isCertain);
  }

  #begin(afterOffset: number, isCertain = true): void {
    const earlierMs = this.lives.flatMap(({ events }) => events.flatMap(({ momentsMs }) => momentsMs));
    this.lives.push({ afterOffset, events: [], earlierMs, isCertain });
  }
}

/** By user: their lives. Those of anonymous ids are not certain where they are forgotten (cookies.ts). Nobody who was merged, or into whom somebody was: in which order their logs meet is chance. */
export const livesOf = onceOf((story): ReadonlyMap<string, readonly Life[]> => {
  const merged = mergedOf(story);
  const linked = new Set([...merged.keys(), ...merged.values()]);
  const storedAtMs = new Map(story.calls.toReversed().map(({ atMs, value }) => [copyOf(value), atMs]));
  const users = new Map<string, Biographer>();
  for (const event of story.profileEvents) {
    const user = event.record.key ?? "";
    if (linked.has(user)) continue;
    const biographer = users.get(user) ?? new Biographer(storedAtMs);
    users.set(user, biographer);
    biographer.read(event);
  }
  const isForgetting = story.plan.anonymousRetentionMs !== undefined;
  return new Map(
    Array.from(users, ([user, { lives }]) => {
      const isForgotten = isForgetting && user.startsWith("anon:");
      return [user, isForgotten ? lives.map((life) => ({ ...life, isCertain: false })) : lives];
    }),
  );
});

/** Who the user is after these events. */
export function personOf(events: readonly Happened[]): NaivePerson {
  const lists = new Set<string>();
  for (const { list } of events) {
    if (list?.isMember === true) lists.add(list.id);
    else if (list !== undefined) lists.delete(list.id);
  }
  return { calls: events.flatMap(({ call }) => call ?? []), lists };
}
