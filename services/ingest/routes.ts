import { CALL_TYPES, CALLS, type CallType } from "#contract";

/** The purpose of a request (contract 7.1). */
export type Route =
  | { readonly kind: "call"; readonly type: CallType }
  | { readonly kind: "batch" }
  | { readonly kind: "client-metrics" }
  | { readonly kind: "pixel"; readonly type: string; readonly data: string }
  | { readonly kind: "settings"; readonly writeKey: string };

function postRoutes(): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  const add = (name: string, route: Route) => {
    for (const path of [`/v1/${name}`, `/v1/${name}/`]) routes.set(path, route);
  };
  for (const type of CALL_TYPES) {
    add(type, { kind: "call", type });
    add(CALLS[type].shortPath, { kind: "call", type });
  }
  for (const name of ["batch", "import", "b"]) add(name, { kind: "batch" });
  add("m", { kind: "client-metrics" });
  return routes;
}

const POST_ROUTES = postRoutes();
const PIXEL = /^\/v1\/pixel\/([^/]+)\/?$/;
const SETTINGS = /^\/v1\/projects\/([^/]+)\/settings\/?$/;

/** The path and the query of a request target; some proxies send a whole URL. */
function splitTarget(target: string): { path: string; query: string } {
  const origin = /^https?:\/\/[^/?]*/i.exec(target)?.[0] ?? "";
  const [path = "", ...query] = target.slice(origin.length).split("?");
  return { path, query: query.join("?") };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The text is not percent-encoded after all: no write key looks like that, so it will be an unknown one.
    return text;
  }
}

/** The methods that the target allows; empty: there is no such target. */
export function methodsOf(target: string): readonly string[] {
  if (routeOf("POST", target) !== undefined) return ["POST", "OPTIONS"];
  return routeOf("GET", target) === undefined ? [] : ["GET", "HEAD", "OPTIONS"];
}

/** undefined: there is nothing here, or not with this method. */
export function routeOf(method: string, target: string): Route | undefined {
  if (method === "POST") return POST_ROUTES.get(target) ?? POST_ROUTES.get(splitTarget(target).path);
  if (method !== "GET" && method !== "HEAD") return undefined;
  const { path, query } = splitTarget(target);
  const writeKey = SETTINGS.exec(path)?.[1];
  if (writeKey !== undefined) return { kind: "settings", writeKey: decode(writeKey) };
  const type = PIXEL.exec(path)?.[1];
  if (type === undefined) return undefined;
  return { kind: "pixel", type, data: new URLSearchParams(query).get("data") ?? "" };
}
