// What is left of deleted audiences, lists and computed traits.
import type { AudienceConfig } from "#topics";
import { law, type Story, type Written } from "./story.ts";

/** Who was cut off is back in its groups by then. */
const RECOVERED_AFTER_CALM_MS = 20_000;
/** A clock that is behind, and what a look asks of Kafka. */
const LATE_MS = 5_000;
/** Between two looks of a processor, and its write. */
const ENDED_WITHIN_MS = 12_000;

/** Where each record stands, first of it: in the history. */
function forgottenAt({ control }: Story): ReadonlyMap<string, Written<AudienceConfig>> {
  const first = new Map<string, Written<AudienceConfig>>();
  for (const each of control.audiences)
    if (each.value.isForgotten && !first.has(each.value.id)) first.set(each.value.id, each);
  return first;
}

function deletedAt({ control }: Story): ReadonlyMap<string, Written<AudienceConfig>> {
  const first = new Map<string, Written<AudienceConfig>>();
  for (const each of control.audiences)
    if (each.value.deletedAtMs !== null && !first.has(each.value.id)) first.set(each.value.id, each);
  return first;
}

/** When each partition said first that it has let go of an audience, by place; undefined: one has not. */
function lettingGo({ plan, progress }: Story, id: string): Written<unknown>[] | undefined {
  const first = new Map<number, Written<unknown>>();
  for (const each of progress)
    if (each.value?.id === id && each.value.state === "deleted" && !first.has(each.value.partition))
      first.set(each.value.partition, each);
  return first.size === plan.partitions ? [...first.values()] : undefined;
}

/** Whatever dies, a key is not lost, nothing that is deleted comes back, and no end is written of what is there. */
export const onlyTheGoneGoes = law("nothing goes of what is there", function* (story) {
  const [forgotten, deleted] = [forgottenAt(story), deletedAt(story)];
  for (const [id, { place, value }] of forgotten) {
    const gone = lettingGo(story, id);
    if (gone === undefined || gone.some((each) => each.place > place))
      yield `${id} is forgotten, and not every partition had let go of it`;
    const before = deleted.get(id);
    if (before === undefined || before.value.isForgotten) yield `${id} is forgotten, and was not deleted`;
    if (before?.value.key !== value.key) yield `${id} has lost its key`;
  }
  for (const { place, value } of story.control.audiences)
    if (!value.isForgotten && place > (forgotten.get(value.id)?.place ?? Number.POSITIVE_INFINITY))
      yield `${value.id} comes back`;
  const states = new Map<string, string>();
  for (const { place, record, value } of story.progress) {
    const key = record.key ?? "";
    const id = key.slice(0, key.lastIndexOf(":"));
    const isOver = id.startsWith("leaf:")
      ? states.get(key) === "deleted"
      : (forgotten.get(id)?.place ?? Number.POSITIVE_INFINITY) <= place;
    if (value === null && !isOver) yield `progress ${key} has ended, and it is not forgotten`;
    if (value !== null) states.set(key, value.state);
  }
  for (const { place, record } of story.control.importEnds) {
    const listId = record.key?.split(":")[0] ?? "";
    if ((deleted.get(listId)?.place ?? Number.POSITIVE_INFINITY) > place)
      yield `import ${record.key} has ended, and its list is there`;
  }
});

/** Keys whose newest record is no end, with when that was written. */
function* left(all: readonly Written<object | null>[]): Generator<readonly [key: string, atMs: number]> {
  const newest = new Map(all.map((each) => [each.record.key ?? "", each]));
  for (const [key, { atMs, value }] of newest) if (value !== null) yield [key, atMs];
}

/** Once nothing goes wrong any more, and every partition has let go of it. */
export const theGoneGoes = law("what is deleted goes", function* (story) {
  const { control, endedAtMs, plan } = story;
  if (story.drainedAtMs === undefined || plan.members === undefined) return;
  const calmMs = plan.timing.calmMs + RECOVERED_AFTER_CALM_MS;
  const lookMs = 2 * plan.members.deletedKeptMs + LATE_MS;
  const forgotten = forgottenAt(story);
  const deleted = deletedAt(story);
  for (const id of deleted.keys()) {
    const gone = lettingGo(story, id);
    if (gone === undefined || forgotten.has(id)) continue;
    const sinceMs = Math.max(calmMs, ...gone.map(({ atMs }) => atMs));
    if (sinceMs + lookMs < endedAtMs) yield `${id} is not forgotten, let go of at ${sinceMs} ms`;
  }
  for (const [key, atMs] of left(story.progress)) {
    const end = forgotten.get(key.slice(0, key.lastIndexOf(":")));
    if (end !== undefined && Math.max(calmMs, atMs, end.atMs) + ENDED_WITHIN_MS < endedAtMs)
      yield `progress ${key} is left of what was forgotten at ${end.atMs} ms`;
  }
  const imports = [...control.imports, ...control.importEnds].sort((one, other) => one.place - other.place);
  for (const [key, atMs] of left(imports)) {
    const end = deleted.get(key.split(":")[0] ?? "");
    if (end !== undefined && Math.max(calmMs, atMs, end.atMs) + lookMs < endedAtMs)
      yield `import ${key} is left of a list that was deleted at ${end.atMs} ms`;
  }
});
