import { SPACE_SOURCE } from "#contract";
import {
  pauseDestination,
  resumeDestination,
  retryDestination,
} from "../../../services/control/deliveries/waiting/commands.ts";
import type { Actor } from "../../../services/control/http/caller.ts";
import {
  changeDestination,
  deleteDestination,
} from "../../../services/control/resources/destinations/commands.ts";
import type { DestinationPlan, Wish } from "../plan/plan.ts";
import { DeskClient } from "./desk-client.ts";
import type { Desk } from "./fleet.ts";
import type { WishStep } from "./history.ts";
import type { World } from "./world.ts";

/** As somebody does who waits for it. */
const LOOK_EVERY_MS = 1_000;
const MAX_LOOKS = 120;

const BY: Actor = { token: "somebody", requestId: null };

interface Step extends WishStep {
  /** Counted from the answer to the step before. */
  readonly afterMs: number;
}

/** One thing after the other, each once the one before was answered. */
function stepsOf(wish: Wish): readonly [Step, ...Step[]] {
  const { destinationId, id } = wish;
  const step = (deed: WishStep["deed"], afterMs = 0): Step => ({ id, destinationId, deed, afterMs });
  switch (wish.kind) {
    case "pause":
      return [step("pause"), step("resume", wish.forMs)];
    case "switch_off":
      return [step("switch_off"), step("switch_on", wish.forMs)];
    case "disconnect":
      return [step("disconnect"), step("connect", wish.forMs)];
    case "retry":
      return [{ ...step("retry"), messageIds: wish.messageIds, userId: wish.userId }];
    case "connect":
    case "delete":
    case "other_webhooks":
      return [step(wish.kind)];
  }
}

/** Who asks the control API to change destinations and to send what waits. People of one destination ask one after the other. */
export class WishClerk {
  readonly #world: World;
  readonly #client: DeskClient;
  readonly #desks: () => readonly Desk[];
  /** By destination, what is to be asked for once the one before is answered. */
  readonly #queues = new Map<string, (() => void)[]>();
  /** As it was last asked for; undefined: deleted. */
  readonly #configs = new Map<string, (DestinationPlan & { readonly enabled: boolean }) | undefined>();

  constructor(world: World, desks: () => readonly Desk[]) {
    this.#world = world;
    this.#desks = desks;
    this.#client = new DeskClient(world, { name: "wishes", desks });
    for (const destination of world.plan.destinations)
      this.#configs.set(destination.id, { ...destination, enabled: destination.isMadeOff !== true });
  }

  /** Something that was to be asked for by now is not answered. */
  get isBusy(): boolean {
    return this.#queues.size > 0;
  }

  begin(): void {
    const { plan, time } = this.#world;
    for (const wish of plan.wishes) time.after(wish.atMs, () => this.#queue(wish));
  }

  #queue(wish: Wish): void {
    const { destinationId } = wish;
    const queue = this.#queues.get(destinationId);
    if (queue === undefined) {
      this.#queues.set(destinationId, []);
      this.#next(wish, stepsOf(wish));
    } else queue.push(() => this.#next(wish, stepsOf(wish)));
  }

  #next(wish: Wish, [step, ...later]: readonly Step[]): void {
    if (step === undefined) {
      const next = this.#queues.get(wish.destinationId)?.shift();
      if (next === undefined) this.#queues.delete(wish.destinationId);
      else next();
      return;
    }
    this.#world.time.after(step.afterMs, () => {
      this.#tell("asked", step);
      this.#client.ask(
        ({ control }) => carryOut(control, wish, step),
        (answer) => {
          this.#tell(answer === undefined ? "refused" : "granted", step);
          if (answer?.retryId !== undefined) this.#watch(step, answer.retryId);
          this.#next(wish, later);
        },
      );
    });
  }

  /** Looks until a control process says that it is done. One that was cut off may still tell of the request before. */
  #watch(step: Step, retryId: string, looks = 0): void {
    if (looks === MAX_LOOKS) return;
    this.#world.time.after(LOOK_EVERY_MS, () => {
      const [desk] = this.#desks();
      const state = desk?.control.retryRequests.of(step.destinationId);
      if (state?.request.id === retryId && state.isDone) this.#tell("said_done", step);
      else this.#watch(step, retryId, looks + 1);
    });
  }

  /** What is asked for may hold from then on, and does from the answer on. */
  #tell(state: "asked" | "granted" | "refused" | "said_done", step: Step): void {
    const { history, time, trace } = this.#world;
    const atMs = time.nowMs;
    trace.add("clerk", `${step.id}: ${step.deed} of ${step.destinationId} is ${state}`);
    if (state === "asked" || state === "granted") this.#configure(step);
    history.add({ kind: "wished", atMs, state, wish: step });
  }

  #configure({ deed, destinationId: id }: WishStep): void {
    const before = this.#configs.get(id);
    const { sourceIds } = before ?? {};
    const changes = {
      switch_off: { enabled: false },
      switch_on: { enabled: true },
      connect: { sourceIds: connected(sourceIds) },
      disconnect: { sourceIds: disconnected(sourceIds) },
      other_webhooks: { urls: before?.urls.slice(0, 1) ?? [] },
      ...{ pause: undefined, resume: undefined, retry: undefined, delete: undefined },
    }[deed];
    if (changes === undefined && deed !== "delete") return;
    const config = before === undefined || deed === "delete" ? undefined : { ...before, ...changes };
    this.#configs.set(id, config);
    this.#world.history.add({
      kind: "configured",
      atMs: this.#world.time.nowMs,
      destination: { id, config },
    });
  }
}

interface CarriedOut {
  /** The request by which the API says how far a retry is. */
  readonly retryId: string | undefined;
}

/** As the routes do it. */
async function carryOut(
  control: Desk["control"],
  wish: Wish,
  { deed, destinationId: id }: WishStep,
): Promise<CarriedOut> {
  const whose = { id, by: BY };
  switch (deed) {
    case "pause":
      await pauseDestination(control, whose, limitOf(wish));
      break;
    case "resume":
      await resumeDestination(control, whose);
      break;
    case "retry":
      await retryDestination(control, whose, choiceOf(wish));
      return { retryId: control.retryRequests.of(id)?.request.id };
    case "switch_off":
    case "switch_on":
      await changeDestination(control, whose, { enabled: deed === "switch_on" });
      break;
    case "connect":
      await changeDestination(control, whose, {
        sourceIds: connected(control.destinations.get(id)?.sourceIds),
      });
      break;
    case "disconnect":
      await changeDestination(control, whose, {
        sourceIds: disconnected(control.destinations.get(id)?.sourceIds),
      });
      break;
    case "other_webhooks":
      await changeDestination(control, whose, { webhooks: firstWebhook(control, id) });
      break;
    case "delete":
      await deleteDestination(control, whose);
  }
  return { retryId: undefined };
}

const disconnected = (sourceIds: readonly string[] = []): string[] =>
  sourceIds.filter((id) => id !== SPACE_SOURCE);
const connected = (sourceIds?: readonly string[]): string[] => [...disconnected(sourceIds), SPACE_SOURCE];

function limitOf(wish: Wish): string | null {
  if (wish.kind !== "pause" || wish.callsWaitForMs === undefined) return null;
  return `${wish.callsWaitForMs / 1_000}s`;
}

function choiceOf(wish: Wish) {
  if (wish.kind !== "retry") return {};
  const { messageIds, userId } = wish;
  return { ...(messageIds !== undefined && { messageIds }), ...(userId !== undefined && { userId }) };
}

function firstWebhook({ destinations }: Desk["control"], id: string) {
  const [first] = destinations.get(id)?.webhooks ?? [];
  return first === undefined ? [] : [{ url: first.url }];
}
