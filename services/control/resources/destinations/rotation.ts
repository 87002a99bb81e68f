// The shared secret, and how it is replaced without a moment in which a receiver cannot verify (contract 2.3). Pure but for the
// encryption that it is given.
import { parseDuration, UNITS_MS } from "#contract";
import type { DestinationConfig } from "#topics";
import { isoTime } from "../../http/time-pages.ts";
import type { Sealer } from "./secrets.ts";

/** Enough for a receiver's own deployment; Standard Webhooks verifiers accept either signature meanwhile. */
const DEFAULT_ROTATION_MS = UNITS_MS.d;

export interface SecretInput {
  /** null removes it, and the one before with it. */
  readonly sharedSecret?: string | null;
  /** A duration that the rules have let through. */
  readonly previousSecretValidFor?: string;
}

type Secrets = Pick<DestinationConfig, "sharedSecret" | "previousSecret" | "previousSecretUntilMs">;

interface Rotating {
  readonly sealer: Sealer;
  readonly nowMs: number;
  /** Only with the Standard Webhooks headers can a request carry two signatures. */
  readonly standardWebhooks: boolean;
}

const NO_PREVIOUS = { previousSecret: null, previousSecretUntilMs: null };
const SHARED = { field: "sharedSecret" } as const;
const PREVIOUS = { field: "previousSecret" } as const;

export function patchSecrets(before: Secrets, patch: SecretInput, rotating: Rotating): Secrets {
  const { sharedSecret: given } = patch;
  if (given === null) return { sharedSecret: null, ...NO_PREVIOUS };
  const { sealer, nowMs, standardWebhooks } = rotating;
  const stored = before.sharedSecret === null ? undefined : sealer.open(before.sharedSecret, SHARED);
  // The same secret given again, as programs that write a whole configuration do, is no rotation.
  if (given === undefined || stored === given) return keepSecrets(before, patch, rotating);
  const sharedSecret = sealer.seal(given, SHARED);
  const validForMs = standardWebhooks ? (validFor(patch) ?? DEFAULT_ROTATION_MS) : 0;
  // An old secret that does not open could sign nothing.
  if (stored === undefined || validForMs === 0) return { sharedSecret, ...NO_PREVIOUS };
  return {
    sharedSecret,
    previousSecret: sealer.seal(stored, PREVIOUS),
    previousSecretUntilMs: nowMs + validForMs,
  };
}

/** The secrets stay, under the newest key; the old one's end may be moved, and is dropped when it has come. */
function keepSecrets(before: Secrets, patch: SecretInput, { sealer, nowMs }: Rotating): Secrets {
  const { sharedSecret, previousSecret, previousSecretUntilMs } = before;
  const kept = { sharedSecret: sharedSecret === null ? null : sealer.renew(sharedSecret, SHARED) };
  const validForMs = validFor(patch);
  const untilMs = validForMs === undefined ? (previousSecretUntilMs ?? 0) : nowMs + validForMs;
  if (previousSecret === null || untilMs <= nowMs) return { ...kept, ...NO_PREVIOUS };
  return { ...kept, previousSecret: sealer.renew(previousSecret, PREVIOUS), previousSecretUntilMs: untilMs };
}

function validFor({ previousSecretValidFor: text }: SecretInput): number | undefined {
  return text === undefined ? undefined : parseDuration(text);
}

/** Until when the old secret signs too, as the API shows it. */
export function previousSecretValidUntil({ previousSecretUntilMs }: Secrets, nowMs: number): string | null {
  const isOver = previousSecretUntilMs === null || previousSecretUntilMs <= nowMs;
  return isOver ? null : isoTime(previousSecretUntilMs);
}
