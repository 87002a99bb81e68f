import { Readable } from "node:stream";
import type { MembershipImport } from "#topics";
import {
  confirmImport,
  existingImport,
  startImport,
} from "../../../services/control/jobs/imports/commands.ts";
import { importKey } from "../../../services/control/jobs/imports/import.ts";
import { decodedBody } from "../../../services/control/jobs/imports/upload/body.ts";
import { csvRows } from "../../../services/control/jobs/imports/upload/csv-rows.ts";
import { ndjsonRows } from "../../../services/control/jobs/imports/upload/ndjson-rows.ts";
import type { ImportPlan } from "../plan/plan.ts";
import { DeskClient } from "./desk-client.ts";
import type { Desk } from "./fleet.ts";
import type { World } from "./world.ts";

const BY = { token: "somebody", requestId: null };
/** Between two looks at how far an import is. */
const LOOK_EVERY_MS = 1_000;

const READERS = { csv: csvRows, ndjson: ndjsonRows } as const;

/** Who uploads lists, looks how far they are, and confirms what is held. Each goes on asking until it is answered. */
export class ImportClerk {
  readonly #world: World;
  readonly #client: DeskClient;

  constructor(world: World, desks: () => readonly Desk[]) {
    this.#world = world;
    this.#client = new DeskClient(world, { name: "imports", desks });
  }

  begin(): void {
    for (const plan of this.#world.plan.members?.imports ?? [])
      this.#world.time.after(plan.atMs, () => this.#upload(plan));
  }

  #upload(plan: ImportPlan): void {
    const askedAtMs = this.#world.time.nowMs;
    this.#client.ask(
      ({ control }) => upload(control, plan),
      (uploaded) => {
        this.#tell(plan, "upload", { askedAtMs, answer: uploaded?.import });
        if (uploaded !== undefined && plan.confirmsAfterMs !== undefined)
          this.#look(plan, plan.confirmsAfterMs);
      },
    );
  }

  /** Until the import has ended, or is held. */
  #look(plan: ImportPlan, confirmsAfterMs: number): void {
    const { time } = this.#world;
    this.#client.ask(
      async ({ control }) => existingImport(control, plan.audienceId, plan.importId),
      (found) => {
        const state = found?.state ?? "staged";
        if (state === "held") time.after(confirmsAfterMs, () => this.#confirm(plan));
        else if (state === "staged") time.after(LOOK_EVERY_MS, () => this.#look(plan, confirmsAfterMs));
      },
    );
  }

  #confirm(plan: ImportPlan): void {
    const { audienceId, importId } = plan;
    const askedAtMs = this.#world.time.nowMs;
    this.#client.ask(
      ({ control }) => confirmImport(control, { audienceId, importId, by: BY }),
      (answer) => this.#tell(plan, "confirm", { askedAtMs, answer }),
    );
  }

  #tell(
    { audienceId, id, importId }: ImportPlan,
    deed: "upload" | "confirm",
    { answer, askedAtMs }: { readonly answer: MembershipImport | undefined; readonly askedAtMs: number },
  ): void {
    const { history, time, trace } = this.#world;
    trace.add("clerk", `${id}: ${deed} of ${importId} of ${audienceId} is ${answer?.state ?? "refused"}`);
    if (answer === undefined) return;
    const key = importKey(audienceId, importId);
    history.add({ kind: "imported", atMs: time.nowMs, deed, importKey: key, askedAtMs });
  }
}

/** As the route does it, from the request's body on. */
async function upload(control: Desk["control"], plan: ImportPlan) {
  const { audienceId, format, importId, mode } = plan;
  const decoded = decodedBody(Readable.from([Buffer.from(bodyOf(plan))]), undefined);
  try {
    const rows = READERS[format](decoded.stream);
    return await startImport(control, { audienceId, importId, mode, isHeldByRequest: false, rows, by: BY });
  } finally {
    decoded.discard();
  }
}

function bodyOf({ format, hasWrongRow, userIds }: ImportPlan): string {
  const all = hasWrongRow ? [...userIds, ""] : userIds;
  if (format === "ndjson") return all.map((userId) => `${JSON.stringify({ userId })}\n`).join("");
  return ["plan,userId", ...all.map((userId) => `pro,${userId}`)].map((line) => `${line}\n`).join("");
}
