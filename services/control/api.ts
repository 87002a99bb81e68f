// The API behind its HTTP server.
import type { AddressInfo } from "node:net";
import type { Logger, ServiceContext, SettingsOf } from "#runtime";
import type { settings } from "./config.ts";
import type { AttemptParts } from "./deliveries/attempts/parts.ts";
import { addAttemptRoutes, addDeliveriesRoute } from "./deliveries/attempts/routes.ts";
import { addStatsRoute } from "./deliveries/attempts/stats-routes.ts";
import { addFilterTestRoute, type FilterTestParts } from "./deliveries/calls/filter-test-routes.ts";
import { addSourceCallsRoute, type SourceCallsParts } from "./deliveries/calls/list-routes.ts";
import type { CallParts } from "./deliveries/calls/parts.ts";
import { addCallRoutes } from "./deliveries/calls/routes.ts";
import { addSentCallRoute, type SentCallParts } from "./deliveries/calls/sent-routes.ts";
import type { DeadLetterParts } from "./deliveries/dead-letters/parts.ts";
import { addDeadLetterRoutes } from "./deliveries/dead-letters/routes.ts";
import { addBetweenRoute } from "./deliveries/flow/between-routes.ts";
import type { BetweenParts, FlowRouteParts } from "./deliveries/flow/parts.ts";
import { addFlowRoutes } from "./deliveries/flow/routes.ts";
import type { InfoParts } from "./deliveries/info/parts.ts";
import { addInfoRoute } from "./deliveries/info/routes.ts";
import type { IssueParts } from "./deliveries/issues/parts.ts";
import { addIssueRoutes } from "./deliveries/issues/routes.ts";
import type { LiveRouteParts } from "./deliveries/live/parts.ts";
import { addLiveRoutes } from "./deliveries/live/routes.ts";
import { addTicketRoutes } from "./deliveries/live/ticket-routes.ts";
import type { ProfileParts } from "./deliveries/profiles/parts.ts";
import { addProfileRoute } from "./deliveries/profiles/routes.ts";
import { addReasonRoute } from "./deliveries/reason-routes.ts";
import type { RefusedParts } from "./deliveries/refused/parts.ts";
import { addRefusedRoutes } from "./deliveries/refused/routes.ts";
import { addSummariesRoute } from "./deliveries/summaries/routes.ts";
import { addSourceSummariesRoute } from "./deliveries/summaries/source-routes.ts";
import type { TestCallParts } from "./deliveries/test-call/parts.ts";
import { addTestRoute } from "./deliveries/test-call/routes.ts";
import { addWaitingRoute } from "./deliveries/waiting/list-routes.ts";
import type { WaitingParts } from "./deliveries/waiting/parts.ts";
import { addPauseRoutes } from "./deliveries/waiting/pause-routes.ts";
import { addRetryRoute } from "./deliveries/waiting/retry-routes.ts";
import type { AuditRouteParts } from "./http/audit/parts.ts";
import { addAuditRoute } from "./http/audit/routes.ts";
import type { SignedTexts } from "./http/auth.ts";
import { type ConsoleFiles, readConsole } from "./http/console/files.ts";
import { ProblemError } from "./http/problem.ts";
import { acceptRequestKeys, type RequestKeyParts } from "./http/request-keys/hooks.ts";
import { type ControlApp, createServer, type ServerOptions } from "./http/server.ts";
import type { TokenParts } from "./http/sessions/parts.ts";
import { addSessionRoutes } from "./http/sessions/routes.ts";
import { addTokenRoute } from "./http/sessions/token-routes.ts";
import { followTokens } from "./http/token-file.ts";
import type { ImportParts } from "./jobs/imports/parts.ts";
import { addImportRoutes } from "./jobs/imports/routes.ts";
import { addReplayRoutes } from "./jobs/replays/routes.ts";
import { addSourceReplayRoute, type SourceReplayParts } from "./jobs/replays/source-replays.ts";
import type { MemberParts } from "./resources/audiences/member-parts.ts";
import { addMemberRoutes } from "./resources/audiences/member-routes.ts";
import { addOverlapRoute } from "./resources/audiences/overlap-routes.ts";
import type { AudienceParts } from "./resources/audiences/parts.ts";
import { addPreviewRoutes } from "./resources/audiences/preview-routes.ts";
import { addAudienceRoutes, addComputedTraitRoutes } from "./resources/audiences/routes.ts";
import { addSizeRoute } from "./resources/audiences/size-routes.ts";
import { addValueRoutes } from "./resources/audiences/value-routes.ts";
import type { DestinationParts } from "./resources/destinations/parts.ts";
import { addDestinationRoutes } from "./resources/destinations/routes.ts";
import type { RegulationParts } from "./resources/regulations/parts.ts";
import { addRegulationRoutes } from "./resources/regulations/routes.ts";
import type { SourceParts } from "./resources/sources/parts.ts";
import { addSourceRoutes } from "./resources/sources/routes.ts";
import { addWriteKeyRoutes } from "./resources/sources/write-key-routes.ts";

/** What all the routes work with together; each feature declares its own part. */
export type ApiParts = SourceParts &
  DestinationParts &
  TestCallParts &
  AttemptParts &
  DeadLetterParts &
  IssueParts &
  SourceReplayParts &
  RegulationParts &
  AudienceParts &
  MemberParts &
  ImportParts &
  ProfileParts &
  WaitingParts &
  CallParts &
  SentCallParts &
  SourceCallsParts &
  RefusedParts &
  FilterTestParts &
  FlowRouteParts &
  BetweenParts &
  LiveRouteParts &
  AuditRouteParts &
  RequestKeyParts &
  InfoParts & { readonly sessions: SignedTexts } & Pick<ServerOptions, "telemetry">;

export type RouteParts = ApiParts & TokenParts;

/** Adds the routes of one feature; looks at no part before a request comes. */
type AddRoutes = (app: ControlApp, parts: RouteParts) => void;

/** Refused as a whole where there are no audiences. */
const AUDIENCE_ROUTES: readonly AddRoutes[] = [
  addAudienceRoutes,
  addComputedTraitRoutes,
  addMemberRoutes,
  addValueRoutes,
  addPreviewRoutes,
  addOverlapRoute,
  addSizeRoute,
  addImportRoutes,
  addProfileRoute,
];

export const ROUTES: readonly AddRoutes[] = [
  // A sign-in is not repeated by an Idempotency-Key: its cookie is kept nowhere.
  addSessionRoutes,
  addTokenRoute,
  addInfoRoute,
  // Before the routes that it is for.
  acceptRequestKeys,
  addSourceRoutes,
  addWriteKeyRoutes,
  addDestinationRoutes,
  addPauseRoutes,
  addRetryRoute,
  addWaitingRoute,
  addTestRoute,
  addAttemptRoutes,
  addDeliveriesRoute,
  addStatsRoute,
  addSummariesRoute,
  addSourceSummariesRoute,
  addFlowRoutes,
  addBetweenRoute,
  addCallRoutes,
  addSentCallRoute,
  addSourceCallsRoute,
  addRefusedRoutes,
  addFilterTestRoute,
  addLiveRoutes,
  addTicketRoutes,
  addReasonRoute,
  addDeadLetterRoutes,
  addIssueRoutes,
  addReplayRoutes,
  addSourceReplayRoute,
  addRegulationRoutes,
  ...AUDIENCE_ROUTES,
  addAuditRoute,
];

/** As `add`, and each of its requests is answered with a 409. */
function refusing(add: AddRoutes): AddRoutes {
  return (app, parts) =>
    void app.register(async (scope) => {
      scope.addHook("onRequest", async () => {
        const why =
          "there are no audiences and computed traits in this deployment: HOOKLINE_AUDIENCES is off";
        throw new ProblemError("conflict", why);
      });
      add(scope, parts);
    });
}

function builtConsole(logger: Logger): ConsoleFiles {
  const files = readConsole();
  if (files.size === 0) logger.info({}, "the console is not built: its pages say how that is done");
  return files;
}

/** Resolves when it listens, to the ports that it has. */
export async function openApi(
  { host: machine, lifecycle, logger, settings: own }: ServiceContext<SettingsOf<typeof settings>>,
  parts: ApiParts,
): Promise<Record<string, number>> {
  const { tokens } = own.tokens;
  const { host, port } = own.api;
  const { hasAudiences } = own.switch;
  const routes = ROUTES.map((add) => (hasAudiences || !AUDIENCE_ROUTES.includes(add) ? add : refusing(add)));
  const access = followTokens(own.tokens, {
    ...{ host: machine, lifecycle, logger, sessions: parts.sessions },
    // They were let in once, by a token that may have been taken away since.
    onRevoked: () => void parts.live.disconnect(),
  });
  const server = await createServer({
    host: machine,
    authorise: access.authorise,
    telemetry: parts.telemetry,
    logger,
    newRequestId: () => machine.uuid(),
    routes: routes.map((add) => (app) => add(app, { ...parts, tokens: access })),
    files: own.console.hasConsole ? builtConsole(logger) : undefined,
  });
  await server.listen({ host, port });
  lifecycle.onStop("control API", () => server.close());
  // Before: the server waits for every answer, and these have no end of their own.
  lifecycle.onStop("live listeners", () => parts.live.end());
  if (tokens.length === 0) logger.info({ host }, "no token is configured: the API answers this machine only");
  return { controlPort: (server.server.address() as AddressInfo).port };
}
