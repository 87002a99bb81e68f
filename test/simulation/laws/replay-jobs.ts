import { replayJobId } from "#contract";
import type { DeadLetter, DeliveryJob } from "#topics";
import { DISTURBS_EVERY_MS, type Happening } from "../world/history.ts";
import { isOfCalls, type ReplayLife, replayJobs, replayLives } from "./covered.ts";
import { callKey } from "./identity.ts";
import { isTaken } from "./job-events.ts";
import { removals } from "./removals.ts";
import { law, type Story, type Written } from "./story.ts";

type Disturbed = Extract<Happening, { kind: "disturbed" }>;

/** What a process that is stopped does in its order: how far its replays came is written before anybody else goes on. */
const ORDERLY: ReadonlySet<string> = new Set(["stop", "start", "rebalance"]);

const SAME_FIELDS = ["destinationId", "messageId", "userId", "sourceId", "type", "receivedAtMs"] as const;

/** Of what a job is made of. */
type Original = Pick<DeadLetter, (typeof SAME_FIELDS)[number] | "body">;

export function isSameCall(job: DeliveryJob, letter: Original): boolean {
  return SAME_FIELDS.every((field) => job[field] === letter[field]) && job.body.equals(letter.body);
}

/** What a replay sends is a dead letter that it means, as it was; once it is finished that is all of them. */
export const replaysSendWhatTheyCover = law(
  "a replay sends what it covers and nothing else",
  function* (story) {
    const lives = replayLives(story);
    const { isRemoved } = removals(story);
    for (const { record, value: job } of replayJobs(story)) {
      const life = lives.get(job.replayId ?? "");
      if (life !== undefined && isOfCalls(life)) continue;
      const letter = life?.letters.find(
        ({ value }) => replayJobId(value.id, job.replayId ?? "") === job.jobId,
      );
      if (letter === undefined || !isSameCall(job, letter.value))
        yield `${record.topic}-${record.partition}-${record.offset}: ${job.messageId} of ${job.replayId} is none of its dead letters`;
    }
    for (const life of lives.values()) {
      if (life.last.value.state !== "finished") continue;
      for (const { value } of missing(life).filter((letter) => !isRemoved(letter)))
        yield `${life.id} is finished, and has not sent dead letter ${value.id}`;
    }
  },
);

function missing({ letters, sent }: ReplayLife): Written<DeadLetter>[] {
  return letters.filter(({ value }) => sent.get(value.id)?.length === 0);
}

/** So long after it was last heard a member works on, while another one may have its partitions already (decision 16): 1.5 sessions. */
const UNSURE_AFTER_MS = 9_000;

/** What was lost on its way is sent again after that: 15 s (`REQUEST_TIMEOUT_MS` in packages/kafka/protocol/client.ts), and the way itself. */
const SENT_AGAIN_AFTER_MS = 16_000;

/** By what a member may lose its group without knowing it. The registry is not asked for that. */
const isCutOff = (by: string): boolean => !ORDERLY.has(by) && by !== "registry";

/** It goes on until other parts have ended, and then writes how far it came. */
function isStoppingAt(ofItsProcess: readonly Disturbed[], atMs: number): boolean {
  const last = ofItsProcess.findLast((each) => each.by !== "rebalance" && each.atMs < atMs);
  return last?.by === "stop";
}

/** What disturbs a process lasts from before the one moment until after the other, and shows at neither. */
function lastsOver(ofItsProcess: readonly Disturbed[], fromMs: number, toMs: number): boolean {
  return ofItsProcess.some(
    ({ atMs, by }, index) =>
      isCutOff(by) &&
      atMs < fromMs &&
      ofItsProcess
        .slice(index)
        .some((later) => later.by === by && later.atMs > toMs && later.atMs - atMs <= DISTURBS_EVERY_MS),
  );
}

/** One replay sends a dead letter twice only when the process that sent it had no time to write how far it was. */
export const lettersAreSentAgainOnce = law("a replay sends a letter once", function* (story) {
  const isUnexplained = againFinder(story);
  for (const { id, sent } of replayLives(story).values()) {
    for (const [letterId, [first, second]] of sent) {
      if (first === undefined || second === undefined || !isUnexplained(first, second)) continue;
      yield `${id}: ${letterId} by ${first.process} at ${first.atMs} ms and by ${second.process} at ${second.atMs} ms`;
    }
  }
});

/** Whether who wrote a job of a replay for the first time had the time to write how far it was before it was written again. */
export function againFinder(
  story: Story,
): (first: Written<DeliveryJob>, second: Written<DeliveryJob>) => boolean {
  const happenings = Map.groupBy(
    story.happenings.filter((each): each is Disturbed => each.kind === "disturbed"),
    ({ process }) => process,
  );
  const wasCutOff = ({ atMs, process }: Written<DeliveryJob>, withinMs: number): boolean =>
    (happenings.get(process) ?? []).some(
      (each) => isCutOff(each.by) && each.atMs >= atMs - withinMs && each.atMs <= atMs,
    );
  return (first, second) => {
    const ofItsProcess = happenings.get(first.process) ?? [];
    const disturbed = ofItsProcess.filter(({ by }) => by !== "start");
    // Who was cut off may be the second: what it had on its way arrives when the network is back, and it has sent it again.
    const isOfTwo = first.process !== second.process;
    if (isOfTwo && (wasCutOff(first, UNSURE_AFTER_MS) || wasCutOff(second, SENT_AGAIN_AFTER_MS)))
      return false;
    if (lastsOver(disturbed, first.atMs, second.atMs)) return false;
    const between = disturbed.filter(({ atMs }) => atMs >= first.atMs && atMs <= second.atMs);
    const isStopping = between[0]?.by === "stop" || isStoppingAt(ofItsProcess, first.atMs);
    return isStopping ? between.every(({ by }) => ORDERLY.has(by)) : between.length === 0;
  };
}

/** What was sent again is delivered or a dead letter again. */
export const replayedCallsArrive = law(
  "every replayed call is delivered or a dead letter again",
  function* (story) {
    if (story.drainedAtMs === undefined) return;
    const deadAgain = new Set(story.deadLetters.map(({ value }) => value.id));
    const { isLost } = removals(story);
    const lost = new Set(story.jobs.filter(isLost).map(({ value }) => value.jobId));
    for (const [jobId, [first]] of Map.groupBy(replayJobs(story), ({ value }) => value.jobId)) {
      if (first === undefined || deadAgain.has(jobId) || lost.has(jobId) || isDelivered(first, story))
        continue;
      yield `${first.value.messageId} of ${first.value.replayId}, sent at ${first.atMs} ms to ${first.value.destinationId}`;
    }
  },
);

function isDelivered({ atMs, value }: Written<DeliveryJob>, { plan, requests }: Story): boolean {
  const urls = plan.destinations.find(({ id }) => id === value.destinationId)?.urls ?? [];
  return requests.some(
    (request) =>
      callKey(request) === callKey(value) &&
      urls.includes(request.url) &&
      isTaken(request) &&
      (request.answeredAtMs ?? 0) >= atMs,
  );
}
