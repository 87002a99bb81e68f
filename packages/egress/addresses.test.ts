// The address policy against ranges worked out independently of it: numbers instead of node's BlockList (contract 6.1).
import { isIPv6 } from "node:net";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { addressPolicy } from "./addresses.ts";

interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

function ipv4Number(address: string): bigint {
  return address.split(".").reduce((number, part) => (number << 8n) + BigInt(part), 0n);
}

function ipv6Number(address: string): bigint {
  const [head = "", tail] = address.split("::");
  const groups = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - groups(head).length - after.length }, () => "0");
  return [...groups(head), ...zeros, ...after].reduce(
    (number, group) => (number << 16n) + BigInt(`0x${group}`),
    0n,
  );
}

const ipv4Text = (number: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 0xffn).join(".");

const ipv6Text = (number: bigint): string =>
  [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n]
    .map((shift) => ((number >> shift) & 0xffffn).toString(16))
    .join(":");

function range(cidr: string): Range {
  const [network = "", prefix = ""] = cidr.split("/");
  const bits = (isIPv6(network) ? 128n : 32n) - BigInt(prefix);
  const first = ((isIPv6(network) ? ipv6Number(network) : ipv4Number(network)) >> bits) << bits;
  return { first, last: first + (1n << bits) - 1n };
}

const isIn = (number: bigint, ranges: readonly Range[]): boolean =>
  ranges.some(({ first, last }) => first <= number && number <= last);

/** The IANA IPv4 special-purpose address registry, multicast, and the relays that RFC 7526 deprecated. */
const SPECIAL_IPV4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255/32`;

/** The IANA IPv6 special-purpose address registry, 6to4, site-local and multicast; less the ranges that embed IPv4. */
const SPECIAL_IPV6 = `::1/128 ::/128 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16
  fc00::/7 fe80::/10 fec0::/10 ff00::/8`;

const ranges = (text: string): Range[] => text.split(/\s+/).map(range);
const specialIpv4 = ranges(SPECIAL_IPV4);
const specialIpv6 = ranges(SPECIAL_IPV6);
const handedOut = [range("2000::/3")];
const mappedRange = range("::ffff:0:0/96");
const nat64Range = range("64:ff9b::/96");

const isPublicIpv4 = (number: bigint): boolean => !isIn(number, specialIpv4);

function isPublicIpv6(number: bigint): boolean {
  if (isIn(number, [mappedRange, nat64Range])) return isPublicIpv4(number & 0xffff_ffffn);
  return isIn(number, handedOut) && !isIn(number, specialIpv6);
}

/** The first and the last address of each range, and their neighbours. */
function bordersOf(ranges: readonly Range[], bits: bigint): bigint[] {
  const borders = ranges.flatMap(({ first, last }) => [first - 1n, first, last, last + 1n]);
  return borders.filter((number) => 0n <= number && number < 1n << bits);
}

/** Anywhere, and often right at the border of a range. */
function numbersAround(borders: readonly Range[], bits: bigint): fc.Arbitrary<bigint> {
  const max = (1n << bits) - 1n;
  return fc.oneof(
    fc.bigInt({ min: 0n, max }),
    fc.constantFrom(...bordersOf(borders, bits)),
    fc.tuple(fc.constantFrom(...borders), fc.bigInt({ min: 0n, max })).map(([{ first, last }, any]) => {
      return first + (any % (last - first + 1n));
    }),
  );
}

const anyIpv4 = numbersAround(specialIpv4, 32n);
const ipv6Ranges = [...specialIpv6, ...handedOut, mappedRange, nat64Range];
const anyIpv6 = numbersAround(ipv6Ranges, 128n);
const anyCidr = (addresses: fc.Arbitrary<bigint>, bits: number, text: (number: bigint) => string) =>
  fc
    .tuple(addresses, fc.integer({ min: 0, max: bits }))
    .map(([number, prefix]) => `${text(number)}/${prefix}`);

const RUNS = { numRuns: 500 };

describe("without an allow-list", () => {
  const policy = addressPolicy([]);
  const isOpen = (address: string): boolean => policy(address) === undefined;

  test("what is no address is refused, and an address with a zone", () => {
    expect(["", "example.com", "fe80::1%eth0"].filter(isOpen)).toEqual([]);
  });

  test("an address at the border of a range is open exactly when no special range holds it", () => {
    for (const number of bordersOf(specialIpv4, 32n))
      expect([ipv4Text(number), isOpen(ipv4Text(number))]).toEqual([ipv4Text(number), isPublicIpv4(number)]);
    for (const number of bordersOf(ipv6Ranges, 128n))
      expect([ipv6Text(number), isOpen(ipv6Text(number))]).toEqual([ipv6Text(number), isPublicIpv6(number)]);
  });

  test("an IPv4 address is open exactly when no special range holds it", () => {
    fc.assert(
      fc.property(anyIpv4, (number) => isOpen(ipv4Text(number)) === isPublicIpv4(number)),
      RUNS,
    );
  });

  test("an IPv6 address is open exactly when it is handed out, not special, and carries no forbidden IPv4 address", () => {
    fc.assert(
      fc.property(anyIpv6, (number) => isOpen(ipv6Text(number)) === isPublicIpv6(number)),
      RUNS,
    );
  });

  test("an IPv4 address inside of an IPv6 address opens nothing that it does not open itself", () => {
    fc.assert(
      fc.property(anyIpv4, (number) => {
        const text = ipv4Text(number);
        for (const address of [`::ffff:${text}`, `64:ff9b::${text}`]) {
          expect([address, isOpen(address)]).toEqual([address, isPublicIpv4(number)]);
        }
        const [high, low] = [(number >> 16n).toString(16), (number & 0xffffn).toString(16)];
        const never = [`::${text}`, `::ffff:0:${text}`, `64:ff9b:1::${text}`, `2002:${high}:${low}::`];
        expect(never.filter(isOpen)).toEqual([]);
      }),
      RUNS,
    );
  });
});

describe("an allow-list", () => {
  test("has ranges, also with blanks around, and single addresses", () => {
    const policy = addressPolicy([" fd00::/8 ", "10.1.2.3"]);
    const isOpen = (address: string): boolean => policy(address) === undefined;
    const addresses = ["fd00::1", "10.1.2.3", "fc00::1", "10.1.2.4", "10.1.2.2"];
    expect(addresses.map(isOpen)).toEqual([true, true, false, false, false]);
  });

  test.each(["", "10.0.0.0/33", "fd00::/129", "10.0.0.0/", "10.0.0/8", "localhost", "10.0.0.0/8/8", "::/-1"])(
    'with "%s" is refused: it is not a range',
    (cidr) => {
      expect(() => addressPolicy([cidr])).toThrow(/is not a CIDR range/);
    },
  );

  test("of an IPv4 range opens exactly that range, plain and IPv4-mapped", () => {
    const cases = fc.tuple(anyIpv4, anyCidr(anyIpv4, 32, ipv4Text));
    fc.assert(
      fc.property(cases, ([number, cidr]) => {
        const policy = addressPolicy([cidr]);
        const isExpected = isPublicIpv4(number) || isIn(number, [range(cidr)]);
        for (const address of [ipv4Text(number), `::ffff:${ipv4Text(number)}`]) {
          expect([address, policy(address) === undefined]).toEqual([address, isExpected]);
        }
        // Translation and tunnels lead elsewhere than the range that was meant.
        const nat64 = `64:ff9b::${ipv4Text(number)}`;
        expect([nat64, policy(nat64) === undefined]).toEqual([nat64, isPublicIpv4(number)]);
        expect(policy(`::${ipv4Text(number)}`)).toBeDefined();
      }),
      RUNS,
    );
  });

  test("of an IPv6 range opens exactly that range", () => {
    const cases = fc.tuple(anyIpv6, anyIpv4, anyCidr(anyIpv6, 128, ipv6Text));
    fc.assert(
      fc.property(cases, ([number, ipv4, cidr]) => {
        const policy = addressPolicy([cidr]);
        const isExpected = isPublicIpv6(number) || isIn(number, [range(cidr)]);
        expect([cidr, ipv6Text(number), policy(ipv6Text(number)) === undefined]).toEqual([
          cidr,
          ipv6Text(number),
          isExpected,
        ]);
        const isIpv4Expected = isPublicIpv4(ipv4) || isIn(mappedRange.first + ipv4, [range(cidr)]);
        expect([cidr, ipv4Text(ipv4), policy(ipv4Text(ipv4)) === undefined]).toEqual([
          cidr,
          ipv4Text(ipv4),
          isIpv4Expected,
        ]);
      }),
      RUNS,
    );
  });
});
