// What a destination is and how it changes; pure but for the encryption that it is given.
import { MASK } from "#secrets";
import { DESTINATION_DEFAULTS, type DestinationConfig } from "#topics";
import { type LabelsPatch, patchLabels } from "../../http/labels.ts";
import { isoTime } from "../../http/time-pages.ts";
import { type OptionsInput, optionsView, patchOptions } from "./options/patch.ts";
import { pauseView } from "./pause.ts";
import { patchSecrets, previousSecretValidUntil, type SecretInput } from "./rotation.ts";
import { renewWebhooks, type Sealer, sealWebhooks, type WebhookInput } from "./secrets.ts";

export interface DestinationInput extends OptionsInput, SecretInput {
  readonly name: string;
  readonly sourceIds: readonly string[];
  readonly enabled?: boolean;
  readonly webhooks: readonly WebhookInput[];
  readonly labels?: LabelsPatch;
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
  const { name = before.name, sourceIds = before.sourceIds, webhooks } = patch;
  const options = patchOptions(before, patch);
  return {
    ...before,
    ...options,
    ...patchSwitch(before, patch.enabled, nowMs),
    ...patchSecrets(before, patch, { sealer, nowMs, standardWebhooks: options.standardWebhooks }),
    name,
    labels: patchLabels(before.labels, patch.labels),
    sourceIds: [...sourceIds],
    webhooks:
      webhooks === undefined
        ? renewWebhooks(before.webhooks, sealer)
        : sealWebhooks(webhooks, before.webhooks, sealer),
    version: before.version + 1,
    updatedAtMs: nowMs,
  };
}

type Rated = Pick<DestinationConfig, "maxRequestsPerSecond">;

/** Whether a rate that was set is higher now, or gone. */
export function isFaster(
  { maxRequestsPerSecond: before }: Rated,
  { maxRequestsPerSecond: after }: Rated,
): boolean {
  return before !== null && (after === null || after > before);
}

/** As the API shows it (contract 10.3). */
export function destinationView(destination: DestinationConfig, nowMs: number) {
  const { id, name, enabled, labels, sourceIds, sharedSecret, webhooks } = destination;
  return {
    id,
    name,
    enabled,
    labels,
    sourceIds,
    ...optionsView(destination),
    disabledReason: destination.disabledReason,
    paused: pauseView(destination),
    previousSecretValidUntil: previousSecretValidUntil(destination, nowMs),
    sharedSecretSet: sharedSecret !== null,
    webhooks: webhooks.map(({ url, headers }) => ({
      url,
      headers: Object.fromEntries(headers.map((header) => [header.name, MASK])),
    })),
    createdAt: isoTime(destination.createdAtMs),
    updatedAt: isoTime(destination.updatedAtMs),
  };
}

type Switch = Pick<DestinationConfig, "enabled" | "enabledAtMs" | "disabledReason">;

/** Switching it on begins a new count of failure, and clears the reason why it was switched off; so does a person's own "off". */
export function patchSwitch(before: Switch, enabled: boolean | undefined, nowMs: number): Switch {
  const { enabledAtMs, disabledReason } = before;
  if (enabled === undefined) return { enabled: before.enabled, enabledAtMs, disabledReason };
  const isSwitchedOn = enabled && !before.enabled;
  return { enabled, enabledAtMs: isSwitchedOn ? nowMs : enabledAtMs, disabledReason: null };
}
