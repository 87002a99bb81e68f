// What a destination is and how it changes; pure but for the encryption that it is given.
import { DESTINATION_DEFAULTS, type DestinationConfig } from "#topics";
import { MASK, renewWebhooks, type Sealer, sealWebhooks, type WebhookInput } from "./secrets.ts";

export interface DestinationInput {
  readonly name: string;
  readonly sourceIds: readonly string[];
  readonly enabled?: boolean;
  /** null removes it. */
  readonly sharedSecret?: string | null;
  readonly webhooks: readonly WebhookInput[];
  /** null sends all. */
  readonly callTypes?: readonly string[] | null;
}

export type DestinationPatch = Partial<DestinationInput>;

interface Making {
  readonly sealer: Sealer;
  readonly nowMs: number;
}

/** Off until it is switched on (contract 4.3). */
export function createDestination(
  id: string,
  input: DestinationInput,
  { sealer, nowMs }: Making,
): DestinationConfig {
  const empty: DestinationConfig = {
    id,
    name: input.name,
    enabled: false,
    sourceIds: [],
    ...DESTINATION_DEFAULTS,
    webhooks: [],
    version: 0,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  return patchDestination(empty, input, { sealer, nowMs });
}

/** A JSON merge patch (RFC 7396). Every change also brings the secrets under the newest key. */
export function patchDestination(
  before: DestinationConfig,
  patch: DestinationPatch,
  { sealer, nowMs }: Making,
): DestinationConfig {
  const { name = before.name, enabled = before.enabled, sourceIds = before.sourceIds } = patch;
  const { callTypes = before.callTypes, webhooks } = patch;
  return {
    ...before,
    name,
    enabled,
    sourceIds: [...sourceIds],
    callTypes: callTypes === null ? null : [...callTypes],
    sharedSecret: patchSecret(before, patch, sealer),
    webhooks:
      webhooks === undefined
        ? renewWebhooks(before.webhooks, sealer)
        : sealWebhooks(webhooks, before.webhooks, sealer),
    version: before.version + 1,
    updatedAtMs: nowMs,
  };
}

function patchSecret(
  { sharedSecret: stored }: DestinationConfig,
  { sharedSecret: given }: DestinationPatch,
  sealer: Sealer,
): DestinationConfig["sharedSecret"] {
  if (given === null) return null;
  if (given !== undefined) return sealer.seal(given);
  return stored === null ? null : sealer.renew(stored);
}

/** As the API shows it (contract 10.3). */
export function destinationView(destination: DestinationConfig) {
  const { id, name, enabled, sourceIds, callTypes, sharedSecret, webhooks } = destination;
  return {
    id,
    name,
    enabled,
    sourceIds,
    callTypes,
    sharedSecretSet: sharedSecret !== null,
    webhooks: webhooks.map(({ url, headers }) => ({
      url,
      headers: Object.fromEntries(headers.map((header) => [header.name, MASK])),
    })),
    createdAt: new Date(destination.createdAtMs).toISOString(),
    updatedAt: new Date(destination.updatedAtMs).toISOString(),
  };
}
