// The OpenAPI document as the control API serves it, made without a service behind its routes; and that of the last release.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { JsonObject } from "#contract";
import type { Logger } from "#runtime";
import { ROUTES, type RouteParts } from "../../services/control/api.ts";
import { LOCAL_CALLER } from "../../services/control/http/auth.ts";
import { type ControlApp, createServer } from "../../services/control/http/server.ts";

export const RELEASED_FILE = join(import.meta.dirname, "released-openapi.json.gz");

/** No route looks at its parts before a request comes. */
const NO_PARTS = {} as RouteParts;
const NO_LOGGER = {} as Logger;

/** Has every route, and before them what `first` adds; whoever gets behind their schemas finds nothing. */
export function serverWithoutParts(first: (app: ControlApp) => void = () => undefined): Promise<ControlApp> {
  return createServer({
    authorise: () => LOCAL_CALLER,
    telemetry: { answered: () => undefined },
    logger: NO_LOGGER,
    newRequestId: () => "",
    routes: [first, ...ROUTES.map((add) => (app: ControlApp) => add(app, NO_PARTS))],
  });
}

export async function currentDocument(): Promise<JsonObject> {
  const server = await serverWithoutParts();
  try {
    const { body } = await server.inject({ url: "/openapi.json" });
    return JSON.parse(body) as JsonObject;
  } finally {
    await server.close();
  }
}

export function releasedDocument(): JsonObject {
  return JSON.parse(gunzipSync(readFileSync(RELEASED_FILE)).toString()) as JsonObject;
}
