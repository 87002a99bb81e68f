export { parseCallFilter } from "./definition/call-filter.ts";
export {
  costProblem,
  type DefinitionCost,
  definitionCost,
  spaceCostProblem,
} from "./definition/cost.ts";
export type {
  Reading,
  ReduceFn,
  Subject,
} from "./definition/definition.ts";
export { NAME_FIELDS } from "./definition/event-leaf.ts";
export { limitHistory } from "./definition/limit-history.ts";
export { type AudienceContext, parseAudience } from "./definition/parse-audience.ts";
export { parseComputedTrait, reduceFnOf } from "./definition/parse-computed-trait.ts";
export { keyProblem, snakeCase } from "./definition/snake-case.ts";
export { subjectIn } from "./definition/subject.ts";
export {
  explainConditions,
  explainMembership,
  explainValue,
  type LeafExplanation,
} from "./explain/explain.ts";
export { type DecidingCondition, explainFilter } from "./explain/explain-filter.ts";
export { passesFilter } from "./leaves/call-filter.ts";
export { filterFrom, filterOf, whyNotTaken } from "./leaves/stored-filter.ts";
export {
  type FlipContext,
  messageIdOf,
  TRACK_EVENTS,
  TRACK_PROPERTIES,
  trackCall,
  trackMessageIdOf,
  traitsCall,
} from "./output/calls.ts";
export { tellAccounts } from "./profile/accounts.ts";
export { applyEvent, completeRelease } from "./profile/apply.ts";
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
export type { MemberFact, Moment, Outcome, ProfileCall, ProfileEvent } from "./profile/event.ts";
export {
  countsFromOf,
  type Expiry,
  expire,
  isUse,
  noteEveryMs,
  noteUse,
} from "./profile/expiry.ts";
export { type Gathered, Gathering } from "./profile/gathering.ts";
export {
  accountProfileId,
  anonymousProfileId,
  type Ids,
  mergedBy,
  type Owner,
  ownerOf,
  profileIdOf,
  subjectOf,
  userProfileId,
} from "./profile/identity.ts";
export { noteLeftOut, noteMissing } from "./profile/incomplete.ts";
export { advance, evaluate, keepInRoom } from "./profile/judging.ts";
export { leafKeysOf } from "./profile/leaf-keys.ts";
export { learnMember } from "./profile/member-facts.ts";
export {
  createProfile,
  type Flip,
  isFull,
  MAX_TRAITS,
  NO_MOVES,
  NO_STEPS,
  type Profile,
} from "./profile/profile.ts";
export { ProfileReader } from "./profile/profile-reader.ts";
export { ProfileWriter } from "./profile/profile-writer.ts";
export { CallMemory } from "./profile/recent-calls.ts";
export { profileFromRecord, profileToRecord } from "./profile/record.ts";
export { forgetUnused, leaveAudience } from "./profile/retire.ts";
export { isKnownFromSummary, isUnknown, seedLeaves } from "./profile/seed.ts";
export { isMuchWaiting, MAX_SENT_TRAITS, type Sends, traitsAlong } from "./profile/sent-along.ts";
export { isSentFirst } from "./profile/settle.ts";
export { isSilenced } from "./profile/suppression.ts";
export { chooseVersions, type Versions } from "./profile/versions.ts";
