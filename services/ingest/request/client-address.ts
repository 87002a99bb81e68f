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
    const entry = withoutPort(entries[Math.max(0, entries.length - trustedProxies)]?.trim() ?? "");
    if (isIP(entry) !== 0) return withoutMapping(entry);
  }
  return remoteAddress === undefined ? undefined : withoutMapping(remoteAddress);
}

/** Azure's Application Gateway appends the caller's port, and AWS's load balancer can be told to. IPv6 stands in brackets then. */
const WITH_PORT = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i;

function withoutPort(entry: string): string {
  const [, bracketed, plain] = WITH_PORT.exec(entry) ?? [];
  return bracketed ?? plain ?? entry;
}

/** A dual-stack socket shows an IPv4 caller as ::ffff:192.0.2.1. */
function withoutMapping(address: string): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice("::ffff:".length) : address;
}
