// What a preview says of audiences of accounts, beside what those that are there have: both must name the same accounts.
import { accountProfileId, type Profile, profileFromRecord, profileToRecord, subjectIn } from "#audiences";
import type { AudienceConfig } from "#topics";
import type { ProfileReader } from "../../services/control/records/profiles/replica.ts";
import { Slices } from "../../services/control/records/profiles/slices.ts";
import { createAudience } from "../../services/control/resources/audiences/audience.ts";
import type { MemberParts } from "../../services/control/resources/audiences/member-parts.ts";
import { previewOf } from "../../services/control/resources/audiences/preview.ts";
import { type Case, type CaseComputation, START_MS } from "./case.ts";
import { compile, Product } from "./product.ts";
import { Run } from "./run-case.ts";

/** Looks after so many steps each. */
const STEPS_BETWEEN = 8;
const MADE_MS = 1;

function configOf({ definition, id, includeAnonymous, key, kind }: CaseComputation): AudienceConfig {
  const made = { id, key, name: key, includeAnonymous };
  if (kind === "list") return createAudience({ ...made, resource: "audience" }, MADE_MS);
  const resource = kind === "trait" ? "computed_trait" : "audience";
  return createAudience({ ...made, resource, definition }, MADE_MS);
}

/** Accounts know nothing of what they were told: a definition that is asked about has leaves of its own for that. */
function partsOf({ product, run }: World, configs: readonly AudienceConfig[]): MemberParts {
  const copies = new Map(Array.from(product.profiles, ([id, profile]) => [id, copyOf(profile)]));
  const ids = [...copies.keys()].sort();
  const profiles: Pick<ProfileReader, "count" | "ids" | "partitions" | "read" | "toldState"> = {
    count: ids.length,
    partitions: 1,
    ids: (_, after = "") => ids.filter((id) => id > after),
    read: async (_, id) => copies.get(id),
    toldState: async (_, id) => {
      const profile = copies.get(id);
      return profile && profileToRecord(profile);
    },
  };
  const host = {
    elapsed: () => 0,
    setImmediate(work: () => void) {
      setImmediate(work);
      return { clear: () => undefined };
    },
  };
  const parts = {
    host,
    nowMs: () => run.nowMs,
    slices: new Slices(host),
    profiles,
    profilePartitions: 1,
    pace: { backfillPerSecond: 1_000 },
    audiences: { list: () => configs },
    audienceProgress: { get: () => undefined },
  };
  return parts as unknown as MemberParts;
}

const copyOf = (profile: Profile): Profile => profileFromRecord(profile.id, profileToRecord(profile));

interface World {
  readonly product: Product;
  readonly run: Run;
}

function membersOf({ product }: World, id: string): string[] {
  const isIn = (profile: Profile): boolean => profile.results.get(id)?.text === "true";
  return [...product.profiles.values()].filter(isIn).map((profile) => profile.id);
}

async function difference(world: World, given: Case): Promise<string | undefined> {
  const configs = given.computations.map(configOf);
  for (const { definition, id, kind } of given.computations) {
    if (kind !== "audience" || subjectIn(definition) !== "accounts") continue;
    const asked = createAudience(
      { id: "asked", key: "asked", name: "", resource: "audience", definition },
      1,
    );
    const { estimatedCount, sample } = await previewOf(partsOf(world, configs), asked, async () => ({}));
    const found = sample.map(({ groupId }) => accountProfileId(groupId ?? "")).sort();
    const members = membersOf(world, id).sort();
    if (found.join() === members.join() && estimatedCount === members.length) continue;
    return `${JSON.stringify(definition)} at ${world.run.nowMs - START_MS}: the preview has ${estimatedCount}, ${found.join(" ")}, but the audience ${members.join(" ")}`;
  }
  return undefined;
}

/** What is wrong, or undefined. */
export async function differenceInPreviews(given: Case): Promise<string | undefined> {
  const product = new Product(compile(given));
  const world = { product, run: new Run(given, product) };
  for (const [index, step] of given.steps.entries()) {
    world.run.step(step);
    if (index % STEPS_BETWEEN !== 0 && index < given.steps.length - 1) continue;
    // What has ended while the processor was away has left by then.
    world.run.step({ kind: "clock", ms: 1 });
    const found = await difference(world, given);
    if (found !== undefined) return `step ${index}: ${found}`;
  }
  return undefined;
}
