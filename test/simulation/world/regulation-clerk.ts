import { startRegulation } from "../../../services/control/resources/regulations/commands.ts";
import type { RegulationPlan } from "../plan/plan.ts";
import { DeskClient } from "./desk-client.ts";
import type { Desk } from "./fleet.ts";
import type { World } from "./world.ts";

const BY = { token: "somebody", requestId: null };

/** Who asks for regulations, and for the end of suppressions. Each goes on asking until it is answered. */
export class RegulationClerk {
  readonly #world: World;
  readonly #client: DeskClient;

  constructor(world: World, desks: () => readonly Desk[]) {
    this.#world = world;
    this.#client = new DeskClient(world, { name: "regulations", desks });
  }

  begin(): void {
    for (const plan of this.#world.plan.members?.regulations ?? [])
      this.#world.time.after(plan.atMs, () => this.#ask(plan));
  }

  #ask(plan: RegulationPlan): void {
    this.#start(plan, plan.type, () => {
      const { endsAfterMs } = plan;
      if (endsAfterMs === undefined) return;
      this.#world.time.after(endsAfterMs, () => this.#start(plan, "UNSUPPRESS", () => undefined));
    });
  }

  #start(plan: RegulationPlan, type: RegulationPlan["type"] | "UNSUPPRESS", onStarted: () => void): void {
    const { sourceId, userIds } = plan;
    const body = {
      regulationType: type,
      subjectType: "USER_ID" as const,
      subjectIds: [...userIds],
      ...(sourceId !== null && { sourceId }),
    };
    this.#client.ask(
      ({ control }) => startRegulation(control, body, BY),
      (regulation) => {
        const { history, time, trace } = this.#world;
        trace.add("clerk", `${plan.id}: ${type} of ${userIds.join(", ")} is ${regulation?.id ?? "refused"}`);
        if (regulation === undefined) return;
        history.add({ kind: "regulated", atMs: time.nowMs, regulationId: regulation.id });
        onStarted();
      },
    );
  }
}
