import { BlockList, isIP } from "node:net";

/** Answers whether a webhook may be reached at an address; `undefined` is yes, a text says why not (contract 6.1). */
export type AddressPolicy = (address: string) => string | undefined;

/** IPv4 that is not the public internet: the IANA special-purpose registry, less what it calls globally reachable. */
const FORBIDDEN_IPV4 = [
  ["0.0.0.0", 8], // this network, unspecified
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8], // loopback
  ["169.254.0.0", 16], // link-local, cloud metadata
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays, deprecated
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarking
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, broadcast
] as const;

/** The only part of IPv6 handed out for the public internet. Outside of it: loopback, unspecified, ULA, link-local, multicast, IPv4-compatible. */
const GLOBAL_IPV6 = ["2000::", 3] as const;

/** Exceptions inside of 2000::/3. */
const FORBIDDEN_GLOBAL_IPV6 = [
  ["2001::", 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4: an IPv4 address of the sender's choice inside
  ["3fff::", 20], // documentation
] as const;

/** Ranges whose last 32 bits are the IPv4 address that is really reached; that one is judged. */
const CARRIES_IPV4 = [
  ["::ffff:0:0", 96], // IPv4-mapped
  ["64:ff9b::", 96], // NAT64
] as const;

function blockList(subnets: readonly (readonly [string, number])[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const [network, prefixLength] of subnets) list.addSubnet(network, prefixLength, family);
  return list;
}

const forbiddenIpv4 = blockList(FORBIDDEN_IPV4, "ipv4");
const globalIpv6 = blockList([GLOBAL_IPV6], "ipv6");
const forbiddenGlobalIpv6 = blockList(FORBIDDEN_GLOBAL_IPV6, "ipv6");
const carriesIpv4 = blockList(CARRIES_IPV4, "ipv6");

/** The IPv4 address in the last 32 bits of an IPv6 address. */
function lastIpv4(address: string): string {
  // The URL parser is the one normaliser at hand: hexadecimal groups, at most one "::", no dotted tail.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(":");
  const bits = groups.slice(-2).map((group) => Number.parseInt(group || "0", 16));
  return bits.flatMap((group) => [group >> 8, group & 0xff]).join(".");
}

function isPublic(address: string, family: 4 | 6): boolean {
  if (family === 4) return !forbiddenIpv4.check(address, "ipv4");
  if (carriesIpv4.check(address, "ipv6")) return isPublic(lastIpv4(address), 4);
  return globalIpv6.check(address, "ipv6") && !forbiddenGlobalIpv6.check(address, "ipv6");
}

function familyOf(address: string): 4 | 6 | undefined {
  const family = isIP(address);
  return family === 4 || family === 6 ? family : undefined;
}

/** Whether an address is one of the public internet, whatever a deployment opens beside it. */
export function isPublicAddress(address: string): boolean {
  const family = familyOf(address);
  return family !== undefined && isPublic(address, family);
}

/** Thrown at start for an entry of the allow-list that is not a CIDR range. */
export class InvalidCidrError extends Error {
  readonly code = "INVALID_CIDR";
}

/** Adds "10.0.0.0/8", "fd00::/8" or a single address. */
function addCidr(list: BlockList, cidr: string): void {
  const [network = "", prefix, ...rest] = cidr.trim().split("/");
  const family = familyOf(network);
  const longest = family === 4 ? 32 : 128;
  const prefixLength = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
  if (family === undefined || rest.length > 0 || prefixLength < 0 || prefixLength > longest) {
    throw new InvalidCidrError(`"${cidr}" is not a CIDR range such as 10.0.0.0/8 or fd00::/8`);
  }
  list.addSubnet(network, prefixLength, family === 4 ? "ipv4" : "ipv6");
}

/**
 * The rule of one deployment: public addresses, and what `allowCidrs` opens. An allowed IPv4 range also opens its
 * IPv4-mapped form. Throws InvalidCidrError.
 */
export function addressPolicy(allowCidrs: readonly string[]): AddressPolicy {
  const allowed = new BlockList();
  for (const cidr of allowCidrs) addCidr(allowed, cidr);
  return (address) => {
    const family = familyOf(address);
    if (family === undefined) return "not an IP address";
    if (isPublic(address, family) || allowed.check(address, family === 4 ? "ipv4" : "ipv6")) return undefined;
    return "in a private, loopback, link-local, multicast or reserved range; HOOKLINE_EGRESS_ALLOW_CIDRS opens it";
  };
}
