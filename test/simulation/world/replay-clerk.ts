import type { Replay } from "#topics";
import { ProblemError } from "../../../services/control/http/problem.ts";
import { cancelReplay, startReplay } from "../../../services/control/replays/commands.ts";
import { EPOCH_MS } from "../host/virtual-host.ts";
import type { ReplayPlan } from "../plan/plan.ts";
import type { Random } from "../random.ts";
import type { Desk } from "./fleet.ts";
import type { World } from "./world.ts";

/** Until it is answered; then somebody asks again, so often. */
const PATIENCE_MS = 20_000;
const AGAIN_MS = 1_500;
const MAX_TRIES = 4;
const WAY_MS = { from: 1, to: 20 };
const MAX_NAMED = 1_000;

/** What a request came to: what the API answered, or undefined when the same request may be made again. */
type Answered<R> = (answer: R | undefined) => void;

/** Who asks for replays, and for the end of some. */
export class ReplayClerk {
  readonly #world: World;
  readonly #desks: () => readonly Desk[];
  readonly #random: Random;

  constructor(world: World, desks: () => readonly Desk[]) {
    this.#world = world;
    this.#desks = desks;
    this.#random = world.random.split("replays");
  }

  begin(): void {
    for (const replay of this.#world.plan.replays)
      this.#world.time.after(replay.atMs, () => this.#start(replay));
  }

  #start(plan: ReplayPlan): void {
    const asked = async (desk: Desk): Promise<Replay> => startReplay(desk.control, bodyOf(plan, desk));
    this.#ask(asked, 1, (replay) => {
      if (replay === undefined) return;
      this.#told("replay_begun", replay.id);
      const { cancelAfterMs } = plan;
      if (cancelAfterMs !== undefined) this.#world.time.after(cancelAfterMs, () => this.#cancel(replay.id));
    });
  }

  #cancel(replayId: string): void {
    this.#ask(
      ({ control }) => cancelReplay(control, replayId),
      1,
      (replay) => {
        if (replay !== undefined) this.#told("replay_cancelled", replayId);
      },
    );
  }

  #told(kind: "replay_begun" | "replay_cancelled", replayId: string): void {
    const { history, time, trace } = this.#world;
    trace.add("clerk", `${replayId}: ${kind}`);
    history.add({ kind, atMs: time.nowMs, replayId });
  }

  /** Asks one of the processes that answer, until one of them has said yes or no. */
  #ask<R>(work: (desk: Desk) => Promise<R>, tries: number, onAnswer: Answered<R>): void {
    const { time } = this.#world;
    let isOver = false;
    const over = (answer: R | undefined, isFinal: boolean): void => {
      if (isOver) return;
      isOver = true;
      patience.clear();
      if (isFinal || tries >= MAX_TRIES) onAnswer(answer);
      else time.after(AGAIN_MS, () => this.#ask(work, tries + 1, onAnswer));
    };
    const patience = time.after(PATIENCE_MS, () => over(undefined, false));
    const desks = this.#desks();
    const desk = desks[Math.floor(this.#random.next() * desks.length)];
    if (desk === undefined) return;
    desk.process.host.setTimeout(
      () => {
        work(desk).then(
          (answer) => over(answer, true),
          (thrown: unknown) => over(undefined, isNo(thrown)),
        );
      },
      this.#random.between(WAY_MS.from, WAY_MS.to),
    );
  }
}

/** Said for good: the same request would be refused again. */
function isNo(thrown: unknown): boolean {
  return thrown instanceof ProblemError && thrown.kind !== "unavailable";
}

function bodyOf({ callsPerSecond, destinationId, letters, sinceMs }: ReplayPlan, { control }: Desk) {
  const pace = callsPerSecond === undefined ? {} : { callsPerSecond };
  const known = control.deliveries.index.listDeadLetters({ destinationId }, { limit: MAX_NAMED });
  if (letters !== undefined && known.length > 0)
    return { ids: known.slice(-letters).map(({ id }) => id), ...pace };
  const since = sinceMs === undefined ? {} : { from: new Date(EPOCH_MS + sinceMs).toISOString() };
  return { destinationId, ...since, ...pace };
}
