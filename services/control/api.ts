// The API behind its HTTP server.
import type { AddressInfo } from "node:net";
import type { ServiceContext, SettingsOf } from "#runtime";
import { addAttemptRoutes } from "./attempts/routes.ts";
import { addStatsRoute } from "./attempts/stats-routes.ts";
import type { settings } from "./config.ts";
import type { ControlContext } from "./context.ts";
import { addDeadLetterRoutes } from "./dead-letters/routes.ts";
import { addDestinationRoutes } from "./destinations/routes.ts";
import { createAuthorise } from "./http/auth.ts";
import { createServer } from "./http/server.ts";
import { addReplayRoutes } from "./replays/routes.ts";
import { addSourceRoutes } from "./sources/routes.ts";
import { addWriteKeyRoutes } from "./sources/write-key-routes.ts";
import { addTestRoute } from "./test-call/routes.ts";

const ROUTES = [
  addSourceRoutes,
  addWriteKeyRoutes,
  addDestinationRoutes,
  addTestRoute,
  addAttemptRoutes,
  addStatsRoute,
  addDeadLetterRoutes,
  addReplayRoutes,
];

/** Resolves when it listens, to the ports that it has; `host` is the address. */
export async function openApi(
  { lifecycle, logger, settings: own }: ServiceContext<SettingsOf<typeof settings>>,
  context: ControlContext,
  host: string,
): Promise<Record<string, number>> {
  const { tokens } = own.tokens;
  const server = await createServer({
    authorise: createAuthorise(tokens),
    telemetry: context.telemetry,
    logger,
    routes: ROUTES.map((add) => (app) => add(app, context)),
  });
  await server.listen({ host, port: own.api.port });
  lifecycle.onStop("control API", () => server.close());
  if (tokens.length === 0) logger.info({ host }, "no token is configured: the API answers this machine only");
  return { controlPort: (server.server.address() as AddressInfo).port };
}
