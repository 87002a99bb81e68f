// POST /v1/sources/{id}/replays: the calls of one source are sent again to each of its destinations.

import { type Static, Type } from "typebox";
import type { DestinationConfig, SourceConfig } from "#topics";
import { actorOf } from "../../http/caller.ts";
import { DryRunView, isDryRun } from "../../http/dry-run.ts";
import { IdParams } from "../../http/fields.ts";
import { notFound, ProblemError } from "../../http/problem.ts";
import type { ControlApp } from "../../http/server.ts";
import { checkBody } from "../../http/validation.ts";
import type { ConfigStore } from "../../records/config-store.ts";
import { type DestinationListing, ofSource } from "../../resources/destinations/configured.ts";
import { CALL_FIELDS } from "./call-schemas.ts";
import { countCallReplays, type Noting, startCallReplay } from "./commands.ts";
import { noting, type ReplayRouteParts } from "./noting.ts";

/** Beside what a replay of one destination's calls works with. */
export interface SourceReplayParts extends ReplayRouteParts {
  readonly sources: Pick<ConfigStore<SourceConfig>, "get">;
  readonly destinations: Pick<ConfigStore<DestinationConfig> & DestinationListing, "get" | "in">;
}

/** Each is a request to Kafka and a record; whoever has more names them. */
const MAX_DESTINATIONS = 100;

const SourceReplayBody = Type.Object(CALL_FIELDS, { additionalProperties: false, default: {} });

const SourceReplaysAccepted = Type.Object(
  {
    replays: Type.Array(Type.Object({ destinationId: Type.String(), replayId: Type.String() }), {
      description: "One for each destination that is switched on.",
    }),
    skipped: Type.Array(Type.Object({ destinationId: Type.String(), message: Type.String() }), {
      description: "The others, and why nothing is sent to them.",
    }),
  },
  { title: "SourceReplaysAccepted", description: "The replays are durable, and go on by themselves." },
);

const SourceDryRun = Type.Object(
  {
    destinations: Type.Array(Type.Object({ destinationId: Type.String(), ...DryRunView.properties }), {
      description: "What would be sent to each destination that is switched on.",
    }),
    skipped: SourceReplaysAccepted.properties.skipped,
  },
  { title: "SourceDryRun", description: "What the request would do without `dryRun`. Nothing was changed." },
);

export function addSourceReplayRoute(app: ControlApp, parts: SourceReplayParts): void {
  app.post(
    "/v1/sources/:id/replays",
    {
      attachValidation: true,
      // No body is an empty one.
      preValidation: async (request) => {
        request.body ??= {};
      },
      config: { scope: "replay" },
      schema: {
        tags: ["deliveries"],
        operationId: "replaySource",
        summary: "Send calls of a source again, to each destination that is connected to it now",
        description:
          "Begins a replay of calls for each of them, as POST /v1/replays does with its destinationId and this sourceId. When Kafka goes away meanwhile the answer is 503, and the replays that were begun until then go on: the list of replays has them.",
        params: IdParams,
        body: SourceReplayBody,
        response: { 200: SourceDryRun, 202: SourceReplaysAccepted },
      },
    },
    async (request, reply) => {
      const sourceId = request.params.id;
      if (parts.sources.get(sourceId) === undefined) throw notFound("source", sourceId);
      checkBody(request);
      const asked = { ...request.body, sourceId };
      if (isDryRun(asked)) return await countEach(parts, asked);
      return await reply
        .code(202)
        .send(await startEach(parts, asked, noting(parts, "started", actorOf(request))));
    },
  );
}

type Asked = Static<typeof SourceReplayBody> & { readonly sourceId: string };

/** Throws a 409 when there would be none. */
function meantDestinations({ destinations }: SourceReplayParts, sourceId: string) {
  const connected = destinations.in(ofSource(sourceId));
  const enabled = connected.filter((destination) => destination.enabled);
  if (enabled.length === 0)
    throw new ProblemError(
      "conflict",
      `no destination that is switched on is connected to source ${sourceId}`,
    );
  if (enabled.length > MAX_DESTINATIONS) {
    const many = `${enabled.length} destinations are connected to it, and at most ${MAX_DESTINATIONS} are taken at once`;
    throw new ProblemError("conflict", `${many}: begin a replay for each that is meant`);
  }
  const skipped = connected
    .filter((destination) => !destination.enabled)
    .map(({ id: destinationId }) => ({ destinationId, message: "is switched off: switch it on first" }));
  return { destinationIds: enabled.map(({ id }) => id), skipped };
}

async function countEach(parts: SourceReplayParts, asked: Asked): Promise<Static<typeof SourceDryRun>> {
  const { destinationIds, skipped } = meantDestinations(parts, asked.sourceId);
  const counts = await countCallReplays(
    parts,
    destinationIds.map((destinationId) => ({ ...asked, destinationId })),
  );
  const each = counts.map((count, at) => ({ destinationId: destinationIds[at] ?? "", ...count }));
  return { destinations: each, skipped };
}

/** One after the other: each is durable when the next one is begun. */
async function startEach(
  parts: SourceReplayParts,
  asked: Asked,
  noted: Noting,
): Promise<Static<typeof SourceReplaysAccepted>> {
  const { destinationIds, skipped } = meantDestinations(parts, asked.sourceId);
  const replays: Static<typeof SourceReplaysAccepted>["replays"] = [];
  let refusal: ProblemError | undefined;
  for (const destinationId of destinationIds)
    try {
      const { id: replayId } = await startCallReplay(parts, { ...asked, destinationId }, noted);
      replays.push({ destinationId, replayId });
    } catch (error) {
      // It was switched off or disconnected meanwhile, or a replay of its missing calls runs. A refusal now would say that nothing was begun, and whoever repeats the request would begin the others twice.
      if (!isRefused(error)) throw error;
      refusal ??= error;
      const messages = error.errors.map(({ message }) => message);
      skipped.push({ destinationId, message: messages.join("; ") || error.message });
    }
  if (refusal !== undefined && replays.length === 0) throw refusal;
  return { replays, skipped };
}

function isRefused(error: unknown): error is ProblemError {
  return error instanceof ProblemError && (error.kind === "refused_values" || error.kind === "conflict");
}
