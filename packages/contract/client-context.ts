import type { JsonObject } from "./json.ts";

/** Libraries that run on a person's device; what others send comes from the customer's own servers. */
const CLIENT_LIBRARY = /^analytics(?:\.js|-(?:next|android|ios|swift|kotlin|react-native|flutter)|_flutter)/i;

function isClientSide(context: JsonObject): boolean {
  const library = context["library"] as { name?: unknown } | null | undefined;
  const name = library?.name;
  return typeof name === "string" && CLIENT_LIBRARY.test(name);
}

/**
 * The context with `ip` filled from the connection when it is the person's own: calls of browsers and mobile devices, or
 * `context.direct` (contract 7.7). A server's calls would all get the server's address.
 */
export function withClientIp(context: JsonObject, ip: string | undefined, fromBrowser: boolean): JsonObject {
  if (ip === undefined || (context["ip"] !== undefined && context["ip"] !== null)) return context;
  const isPersons = fromBrowser || context["direct"] === true || isClientSide(context);
  return isPersons ? { ...context, ip } : context;
}
