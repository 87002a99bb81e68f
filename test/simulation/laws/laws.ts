import { everyCallArrives } from "./arrived.ts";
import { everyWebhookIsAsked } from "./asked.ts";
import { noCommitPassesEvent } from "./audience-commits.ts";
import { deletedStayAway } from "./audience-deletions.ts";
import { silenceIsKept } from "./audience-silence.ts";
import { profilesKnowSuppressions, suppressedAreSilent } from "./audience-suppressions.ts";
import { tracksFollowChanges } from "./audience-tracks.ts";
import { changesHold, membersAreTrue, membersChangesHold } from "./audience-truth.ts";
import { changesAlternate, changesAreNumbered, timesRise } from "./audiences.ts";
import {
  callReplayCountsAreTrue,
  callReplaysSendWhatTheyMean,
  callsAreSentAgainOnce,
} from "./call-replays.ts";
import { cleanStopsDoubleNothing } from "./clean-stops.ts";
import { noCommitGoesBack, noCommitPassesWork } from "./commits.ts";
import { doneIsCommittedSoon } from "./committed-soon.ts";
import { cookiesAreForgotten } from "./cookies.ts";
import { copiesAreNotRouted } from "./copies.ts";
import { countsAreTrue } from "./counted.ts";
import { cutsAreCounted } from "./cuts.ts";
import { doublesAreExplained } from "./doubles.ts";
import { countersReturnToZero, everythingDrains } from "./ends.ts";
import { onlyTheGoneGoes, theGoneGoes } from "./forgotten.ts";
import {
  controlKnowsLists,
  endedRest,
  importsEnd,
  importsKeepOrder,
  lastListHolds,
  suppressedStay,
  suspiciousWait,
} from "./imports.ts";
import { dueTimesFollowSchedules, onlyWhatIsTakenIsSent } from "./jobs.ts";
import { membersAreTold, syncsEnd, whatIsToldWasSent } from "./members.ts";
import { firstAttemptsKeepOrder } from "./order.ts";
import { jobsAreTakenUpInTime } from "./promptness.ts";
import { nothingGoesWrongUnexplained } from "./quiet.ts";
import { everyReasonHolds } from "./reasons.ts";
import {
  deletionsAreTold,
  lastRegulationCounts,
  notificationsArrive,
  regulationsEnd,
  suppressedAreNotRouted,
} from "./regulations.ts";
import { lossesAreCounted } from "./removals.ts";
import { lettersAreSentAgainOnce, replayedCallsArrive, replaysSendWhatTheyCover } from "./replay-jobs.ts";
import { indexesAreComplete, noCommitPassesReplay, replayCountsAreTrue, replaysEnd } from "./replays.ts";
import { noCommitPassesUnrecorded, recordsAreTrue } from "./routed-calls.ts";
import { sizesAreTrue } from "./sizes.ts";
import type { Finding, Law, Story } from "./story.ts";
import { jobsWaitInTheirTopic } from "./waiting.ts";
import { deliveredWasDelivered, waitingIsCounted } from "./waiting-counts.ts";
import { doneIsSaid, silenceIsCarriedOut, wishesAreCarriedOut } from "./wishes.ts";

const LAWS: readonly Law[] = [
  everyCallArrives,
  everyWebhookIsAsked,
  everyReasonHolds,
  noCommitGoesBack,
  noCommitPassesWork,
  noCommitPassesUnrecorded,
  recordsAreTrue,
  everythingDrains,
  doublesAreExplained,
  doneIsCommittedSoon,
  countersReturnToZero,
  firstAttemptsKeepOrder,
  nothingGoesWrongUnexplained,
  replaysSendWhatTheyCover,
  lettersAreSentAgainOnce,
  replayedCallsArrive,
  callReplaysSendWhatTheyMean,
  callsAreSentAgainOnce,
  callReplayCountsAreTrue,
  replaysEnd,
  replayCountsAreTrue,
  noCommitPassesReplay,
  indexesAreComplete,
  countsAreTrue,
  waitingIsCounted,
  deliveredWasDelivered,
  lossesAreCounted,
  cutsAreCounted,
  onlyWhatIsTakenIsSent,
  dueTimesFollowSchedules,
  jobsAreTakenUpInTime,
  silenceIsCarriedOut,
  wishesAreCarriedOut,
  doneIsSaid,
  changesAlternate,
  changesAreNumbered,
  cookiesAreForgotten,
  timesRise,
  changesHold,
  membersAreTrue,
  membersChangesHold,
  tracksFollowChanges,
  silenceIsKept,
  noCommitPassesEvent,
  deletedStayAway,
  suppressedAreSilent,
  profilesKnowSuppressions,
  copiesAreNotRouted,
  cleanStopsDoubleNothing,
  jobsWaitInTheirTopic,
  membersAreTold,
  whatIsToldWasSent,
  syncsEnd,
  regulationsEnd,
  lastRegulationCounts,
  suppressedAreNotRouted,
  deletionsAreTold,
  notificationsArrive,
  importsEnd,
  suspiciousWait,
  importsKeepOrder,
  lastListHolds,
  controlKnowsLists,
  suppressedStay,
  endedRest,
  onlyTheGoneGoes,
  theGoneGoes,
  sizesAreTrue,
];

/** What a run has broken. */
export function findingsOf(story: Story): Finding[] {
  return LAWS.flatMap((law) => law(story));
}
