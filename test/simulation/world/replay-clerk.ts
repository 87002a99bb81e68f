import { EPOCH_MS } from "#testing/host";
import type { Replay } from "#topics";
import {
  cancelReplay,
  startCallReplay,
  startReplay,
} from "../../../services/control/jobs/replays/commands.ts";
import type { CallsAgain, ReplayPlan } from "../plan/plan.ts";
import { DeskClient } from "./desk-client.ts";
import type { Desk } from "./fleet.ts";
import type { World } from "./world.ts";

const MAX_TRIES = 4;
const MAX_NAMED = 1_000;

/** Who asks for replays, and for the end of some. */
export class ReplayClerk {
  readonly #world: World;
  readonly #client: DeskClient;

  constructor(world: World, desks: () => readonly Desk[]) {
    this.#world = world;
    this.#client = new DeskClient(world, { name: "replays", desks, maxTries: MAX_TRIES });
  }

  begin(): void {
    for (const replay of this.#world.plan.replays)
      this.#world.time.after(replay.atMs, () => this.#start(replay));
  }

  #start(plan: ReplayPlan): void {
    const asked = async (desk: Desk): Promise<Replay> => start(plan, desk);
    this.#client.ask(asked, (replay) => {
      if (replay === undefined) return;
      this.#told("replay_begun", replay.id);
      const { cancelAfterMs } = plan;
      if (cancelAfterMs !== undefined) this.#world.time.after(cancelAfterMs, () => this.#cancel(replay.id));
    });
  }

  #cancel(replayId: string): void {
    this.#client.ask(
      ({ control }) => cancelReplay(control, replayId),
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
}

function start(plan: ReplayPlan, desk: Desk): Promise<Replay> {
  const { calls } = plan;
  if (calls === undefined) return startReplay(desk.control, bodyOf(plan, desk));
  return startCallReplay(desk.control, { ...callsBodyOf(plan, calls), ...paceOf(plan) });
}

function paceOf({ callsPerSecond }: ReplayPlan) {
  return callsPerSecond === undefined ? {} : { callsPerSecond };
}

function sinceOf({ sinceMs }: ReplayPlan) {
  return sinceMs === undefined ? {} : { from: new Date(EPOCH_MS + sinceMs).toISOString() };
}

function callsBodyOf(plan: ReplayPlan, { toDestinationId, userId, which }: CallsAgain) {
  return {
    destinationId: plan.destinationId,
    which,
    ...(userId !== undefined && { userId }),
    ...(toDestinationId !== undefined && { toDestinationId }),
    ...sinceOf(plan),
  };
}

function bodyOf(plan: ReplayPlan, { control }: Desk) {
  const { destinationId, letters } = plan;
  const pace = paceOf(plan);
  const known = control.deliveries.index.listDeadLetters({ destinationId }, { limit: MAX_NAMED });
  if (letters !== undefined && known.length > 0)
    return { ids: known.slice(-letters).map(({ id }) => id), ...pace };
  return { destinationId, ...sinceOf(plan), ...pace };
}
