export { parseCallFilter } from "./definition/call-filter.ts";
export {
  costProblem,
  type DefinitionCost,
  definitionCost,
  spaceCostProblem,
} from "./definition/cost.ts";
export type {
  AudienceDefinition,
  ComputedTraitDefinition,
  Reading,
  ReduceFn,
} from "./definition/definition.ts";
export { NAME_FIELDS } from "./definition/event-leaf.ts";
export { limitHistory } from "./definition/limit-history.ts";
export { type AudienceContext, parseAudience } from "./definition/parse-audience.ts";
export { parseComputedTrait, reduceFnOf } from "./definition/parse-computed-trait.ts";
export { keyProblem, snakeCase } from "./definition/snake-case.ts";
export {
  explainConditions,
  explainMembership,
  type LeafExplanation,
  type MembershipExplanation,
} from "./explain/explain.ts";
export { passesFilter } from "./leaves/call-filter.ts";
export { filterFrom, filterOf } from "./leaves/stored-filter.ts";
export {
  type FlipContext,
  identifyCall,
  messageIdOf,
  SPACE,
  type Space,
  TRACK_EVENTS,
  TRACK_PROPERTIES,
  trackCall,
  trackMessageIdOf,
} from "./output/calls.ts";
export {
  advance,
  applyEvent,
  completeRelease,
  evaluate,
} from "./profile/apply.ts";
export {
  addPast,
  forgetLeaf,
  isOfDeleted,
} from "./profile/backfill.ts";
export { type Computation, type ComputationInput, prepareDefinition } from "./profile/computation.ts";
export {
  type ComputationSet,
  type CoverageOf,
  compileSet,
  type LeafCoverage,
  type LeafUse,
  withNaming,
} from "./profile/computation-set.ts";
export { evaluateComputation } from "./profile/evaluate.ts";
export type { Moment, Outcome, ProfileCall, ProfileEvent } from "./profile/event.ts";
export {
  countsFromOf,
  type Expiry,
  type ExpiryMoment,
  expire,
  isUse,
  noteEveryMs,
  noteUse,
} from "./profile/expiry.ts";
export { Gathering } from "./profile/gathering.ts";
export {
  anonymousProfileId,
  type Ids,
  mergedBy,
  ownerOf,
  profileIdOf,
  type RedirectOf,
  survivorOf,
  userProfileId,
} from "./profile/identity.ts";
export { noteLeftOut, noteMissing } from "./profile/incomplete.ts";
export { leafKeysOf } from "./profile/leaf-keys.ts";
export {
  createProfile,
  type Flip,
  isFull,
  MAX_PROFILE_BYTES,
  MAX_TRAITS,
  type Profile,
} from "./profile/profile.ts";
export { ProfileReader } from "./profile/profile-reader.ts";
export { ProfileWriter } from "./profile/profile-writer.ts";
export { CallMemory } from "./profile/recent-calls.ts";
export { profileFromRecord, profileToRecord } from "./profile/record.ts";
export { forgetUnused, leaveAudience } from "./profile/retire.ts";
export { isKnownFromSummary, isUnknown, seedLeaves } from "./profile/seed.ts";
export { MAX_SENT_TRAIT_LENGTH, MAX_SENT_TRAITS, type Sends, traitsAlong } from "./profile/sent-along.ts";
export { isSilenced } from "./profile/suppression.ts";
export { chooseVersions, type Versions } from "./profile/versions.ts";
