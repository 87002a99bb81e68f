// Audiences and computed traits that are made at the same time are made in one turn: sixty in a second or two, not each after the one before.
import type { AudienceConfig } from "#topics";
import { refreshAll } from "../../http/refresh.ts";
import { StaleEdit } from "../../records/sole-writer.ts";
import { createAudience, type NewAudience } from "./audience.ts";
import type { Change } from "./commands.ts";
import type { AudienceParts } from "./parts.ts";
import { namedBy } from "./references.ts";
import { createProblems, keyOf } from "./rules.ts";

/** Others wait for the turn to end. */
const MOST_AT_ONCE = 100;

type Creation = Omit<Change, "ifMatch"> & Pick<PromiseWithResolvers<AudienceConfig>, "resolve" | "reject">;

interface Decided {
  readonly creation: Creation;
  readonly after: AudienceConfig;
}

/** Durable when it resolves. Rejects with a ProblemError when nothing was changed, with a KafkaError when that is not known. */
export type Create = (change: Omit<Change, "ifMatch">) => Promise<AudienceConfig>;

export function createCreations(parts: AudienceParts): Create {
  const waiting: Creation[] = [];
  function ask(): void {
    let group: Creation[] | undefined;
    const take = (): Creation[] => waiting.splice(0, MOST_AT_ONCE);
    const turn = parts.changes.run(() => {
      if (group === undefined) {
        group = take();
        if (waiting.length > 0) ask();
      }
      return makeAll(parts, group);
    });
    turn.catch((error: unknown) => {
      for (const { reject } of group ?? take()) reject(error);
      if (group === undefined && waiting.length > 0) ask();
    });
  }
  return (change) => {
    const { promise, reject, resolve } = Promise.withResolvers<AudienceConfig>();
    waiting.push({ ...change, resolve, reject });
    if (waiting.length === 1) ask();
    return promise;
  };
}

/** What is decided is taken from `left`. Rejects with a StaleEdit when some of it has to be decided again. */
async function makeAll(parts: AudienceParts, left: Creation[]): Promise<void> {
  // Another process may have used a key.
  await refreshAll([parts.audiences], parts.host);
  while (left.length > 0) {
    const stale = await writeAll(parts, decide(parts, left));
    if (stale.length === 0) continue;
    left.push(...stale);
    throw new StaleEdit("another process has written beside it");
  }
}

/** One that names another one of these waits until that is durable. */
function decide(parts: AudienceParts, left: Creation[]): Decided[] {
  const decided: Decided[] = [];
  const made: AudienceConfig[] = [];
  const naming: Creation[] = [];
  for (const creation of left.splice(0)) {
    try {
      const after = decideOne(parts, creation, [...parts.audiences.list(), ...made]);
      const { references } = namedBy(after);
      if (made.some(({ key }) => references.includes(key))) {
        naming.push(creation);
        continue;
      }
      made.push(after);
      decided.push({ creation, after });
    } catch (error) {
      creation.reject(error);
    }
  }
  left.push(...naming);
  return decided;
}

function decideOne(
  { ids, nowMs }: AudienceParts,
  { body, check, resource }: Creation,
  configs: readonly AudienceConfig[],
): AudienceConfig {
  check(createProblems(body, { resource, configs }));
  const id = resource === "audience" ? ids.newAudienceId() : ids.newComputedTraitId();
  const given = body as Omit<NewAudience, "id" | "resource">;
  return createAudience({ ...given, id, resource, key: keyOf(given) }, nowMs());
}

/** Returns those that were refused because another process wrote: nothing of them was written. */
async function writeAll(
  { audiences, telemetry }: AudienceParts,
  decided: readonly Decided[],
): Promise<Creation[]> {
  const stale: Creation[] = [];
  const write = async ({ after, creation }: Decided): Promise<void> => {
    try {
      await audiences.replace({ before: undefined, after, by: creation.by });
    } catch (error) {
      if (error instanceof StaleEdit) stale.push(creation);
      else creation.reject(error);
      return;
    }
    telemetry.changed(creation.resource, "created");
    creation.resolve(after);
  };
  await Promise.all(decided.map(write));
  return stale;
}
