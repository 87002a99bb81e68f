import { isIP } from "node:net";

/**
 * The address of the person's own connection (contract 7.7). Each trusted proxy has appended the address it was called
 * from to X-Forwarded-For, so the caller's stands that many entries from the end; what stands before it anybody
 * can have written. 0 trusts nobody.
 */
export function clientAddress(
  remoteAddress: string | undefined,
  forwardedFor: string | string[] | undefined,
  trustedProxies: number,
): string | undefined {
  if (trustedProxies > 0 && forwardedFor !== undefined) {
    const entries = String(forwardedFor).split(",");
    const entry = entries[Math.max(0, entries.length - trustedProxies)]?.trim() ?? "";
    if (isIP(entry) !== 0) return withoutMapping(entry);
  }
  return remoteAddress === undefined ? undefined : withoutMapping(remoteAddress);
}

/** A dual-stack socket shows an IPv4 caller as ::ffff:192.0.2.1. */
function withoutMapping(address: string): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice("::ffff:".length) : address;
}
