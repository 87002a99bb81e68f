/** The destination's name in `integrations`, case-sensitive. */
export const WEBHOOKS_INTEGRATION = "Webhooks";

/**
 * Destination name → enabled, as routing needs it (contract 1.4): an object counts as true, null as not given, and the
 * lower-case `all` that a widely used SDK sends is read like `All`, unless `All` is there too.
 */
export function readIntegrations(
  value: Readonly<Record<string, unknown>> | undefined,
): Record<string, boolean> {
  if (value === undefined) return {};
  const entries: [string, boolean][] = [];
  for (const [name, choice] of Object.entries(value)) {
    if (choice === null || choice === undefined) continue;
    if (name !== "all") entries.push([name, choice !== false]);
    else if ((value["All"] ?? null) === null) entries.push(["All", choice !== false]);
  }
  // fromEntries defines its keys, so a destination called "__proto__" is a key like any other.
  return Object.fromEntries(entries);
}

/** Whether a call goes to the destination: its own entry decides, then `All`; absent means enabled (contract 1.4). */
export function isIntegrationEnabled(
  integrations: Readonly<Record<string, boolean>>,
  name: string = WEBHOOKS_INTEGRATION,
): boolean {
  if (Object.hasOwn(integrations, name)) return integrations[name] === true;
  return !(Object.hasOwn(integrations, "All") && integrations["All"] === false);
}
