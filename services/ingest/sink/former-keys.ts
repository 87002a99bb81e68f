// Notes that calls still come with a write key that another one replaces, so that whoever rotates it knows when it can end. Nothing waits for these records.
import { isIPv4, isIPv6 } from "node:net";
import type { FormerKeyUse } from "#topics";

/** Where a call came from. */
interface Origin {
  readonly userAgent: string | undefined;
  readonly address: string | undefined;
}

export interface FormerKeys {
  /** A call was stored that came with a former key of the source. */
  used(sourceId: string, writeKey: string, origin: Origin): void;
}

export interface FormerKeysOptions {
  /** Rejects where the record was not written: a later call is noted. */
  write(use: FormerKeyUse): Promise<void>;
  nowMs(): number;
}

/** Of one key; what comes in between is not noted. */
const NOTED_EVERY_MS = 10_000;
const MAX_KEYS = 10_000;
const MAX_USER_AGENT_CHARACTERS = 200;

export function createFormerKeys({ nowMs, write }: FormerKeysOptions): FormerKeys {
  /** Those noted last at the end. */
  const notedAtMs = new Map<string, number>();
  return {
    used(sourceId, writeKey, { address, userAgent }) {
      const atMs = nowMs();
      // A clock may be set back.
      if (Math.abs(atMs - (notedAtMs.get(writeKey) ?? Number.NEGATIVE_INFINITY)) < NOTED_EVERY_MS) return;
      notedAtMs.delete(writeKey);
      notedAtMs.set(writeKey, atMs);
      const [oldest] = notedAtMs.size > MAX_KEYS ? notedAtMs.keys() : [];
      if (oldest !== undefined) notedAtMs.delete(oldest);
      const network = networkOf(address);
      write({
        ...{ sourceId, writeKey, atMs, network },
        userAgent: userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null,
      }).catch(() => notedAtMs.delete(writeKey));
    },
  };
}

/** Tells a program's network without naming a person's connection. */
export function networkOf(address: string | undefined): string | null {
  if (address === undefined) return null;
  if (isIPv4(address)) return `${address.split(".").slice(0, 3).join(".")}.0/24`;
  if (!isIPv6(address)) return null;
  const [head = ""] = address.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  return `${[...groups, "0", "0", "0"].slice(0, 3).join(":")}::/48`;
}
