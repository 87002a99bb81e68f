import { everyCallArrives } from "./arrived.ts";
import { everyWebhookIsAsked } from "./asked.ts";
import { noCommitPassesEvent } from "./audience-commits.ts";
import { silenceIsKept } from "./audience-silence.ts";
import { changesHold, membersAreTrue } from "./audience-truth.ts";
import { changesAlternate, changesAreNumbered } from "./audiences.ts";
import { noCommitGoesBack, noCommitPassesWork } from "./commits.ts";
import { doublesAreExplained } from "./doubles.ts";
import { countersReturnToZero, everythingDrains } from "./ends.ts";
import { firstAttemptsKeepOrder } from "./order.ts";
import { nothingGoesWrongUnexplained } from "./quiet.ts";
import { everyReasonHolds } from "./reasons.ts";
import { lossesAreCounted } from "./removals.ts";
import { lettersAreSentAgainOnce, replayedCallsArrive, replaysSendWhatTheyCover } from "./replay-jobs.ts";
import { indexesAreComplete, noCommitPassesReplay, replayCountsAreTrue, replaysEnd } from "./replays.ts";
import { noCommitPassesUnrecorded, recordsAreTrue } from "./routed-calls.ts";
import type { Finding, Law, Story } from "./story.ts";

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
  countersReturnToZero,
  firstAttemptsKeepOrder,
  nothingGoesWrongUnexplained,
  replaysSendWhatTheyCover,
  lettersAreSentAgainOnce,
  replayedCallsArrive,
  replaysEnd,
  replayCountsAreTrue,
  noCommitPassesReplay,
  indexesAreComplete,
  lossesAreCounted,
  changesAlternate,
  changesAreNumbered,
  changesHold,
  membersAreTrue,
  silenceIsKept,
  noCommitPassesEvent,
];

/** What a run has broken. */
export function findingsOf(story: Story): Finding[] {
  return LAWS.flatMap((law) => law(story));
}
