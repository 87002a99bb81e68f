// POST /v1/replays: calls that were sent before are sent again.
import { actorOf } from "../../http/caller.ts";
import { DryRunView, isDryRun } from "../../http/dry-run.ts";
import type { ControlApp } from "../../http/server.ts";
import { checkBody } from "../../http/validation.ts";
import { CallReplayAccepted, CallReplayBody } from "./call-schemas.ts";
import { countCallReplays, startCallReplay } from "./commands.ts";
import { noting, type ReplayRouteParts } from "./noting.ts";

export function addCallReplayRoute(app: ControlApp, parts: ReplayRouteParts): void {
  app.post(
    "/v1/replays",
    {
      attachValidation: true,
      config: { scope: "replay" },
      schema: {
        tags: ["deliveries"],
        operationId: "replayCalls",
        summary:
          "Send calls of a destination again, delivered ones or dead ones, there or to another destination",
        description:
          "Each becomes a new delivery job with its messageId, body and a window of retries of its own; its requests name the replay. Calls of users that were deleted since are left out. Calls that came by a replay are not meant, the ones that they repeat are.",
        body: CallReplayBody,
        response: { 200: DryRunView, 202: CallReplayAccepted },
      },
    },
    async (request, reply) => {
      checkBody(request);
      if (isDryRun(request.body)) {
        const [counted] = await countCallReplays(parts, [request.body]);
        return counted;
      }
      const { id } = await startCallReplay(parts, request.body, noting(parts, "started", actorOf(request)));
      return await reply.code(202).header("location", `/v1/replays/${id}`).send({ replayId: id });
    },
  );
}
