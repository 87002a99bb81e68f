import { describe, expect, test } from "@jest/globals";
import { addressPolicy } from "./addresses.ts";

const isOpen = addressPolicy([]);

describe("the address policy (contract 6.1)", () => {
  test.each([
    ["this network", "0.0.0.0"],
    ["this network", "0.1.2.3"],
    ["private", "10.0.0.1"],
    ["private", "172.16.0.1"],
    ["private", "172.31.255.255"],
    ["private", "192.168.1.1"],
    ["carrier-grade NAT", "100.64.0.1"],
    ["carrier-grade NAT", "100.127.255.255"],
    ["loopback", "127.0.0.1"],
    ["loopback", "127.255.255.254"],
    ["link-local, cloud metadata", "169.254.169.254"],
    ["protocol assignments", "192.0.0.8"],
    ["documentation", "192.0.2.1"],
    ["documentation", "198.51.100.1"],
    ["documentation", "203.0.113.1"],
    ["6to4 relay", "192.88.99.1"],
    ["benchmarking", "198.19.255.255"],
    ["multicast", "224.0.0.1"],
    ["multicast", "239.255.255.255"],
    ["reserved", "240.0.0.1"],
    ["broadcast", "255.255.255.255"],
    ["unspecified", "::"],
    ["loopback", "::1"],
    ["unique local", "fc00::1"],
    ["unique local", "fd12:3456::1"],
    ["link-local", "fe80::1"],
    ["link-local with a zone", "fe80::1%eth0"],
    ["site-local", "fec0::1"],
    ["multicast", "ff02::1"],
    ["documentation", "2001:db8::1"],
    ["documentation", "3fff::1"],
    ["Teredo", "2001::1"],
    ["benchmarking", "2001:2::1"],
    ["6to4 of a private address", "2002:a00:1::"],
    ["discard only", "100::1"],
    ["segment routing", "5f00::1"],
    ["IPv4-mapped loopback", "::ffff:127.0.0.1"],
    ["IPv4-mapped loopback", "::ffff:7f00:1"],
    ["IPv4-mapped loopback, written out", "0:0:0:0:0:ffff:7f00:0001"],
    ["IPv4-compatible loopback", "::127.0.0.1"],
    ["IPv4-compatible public", "::8.8.8.8"],
    ["IPv4-translated", "::ffff:0:127.0.0.1"],
    ["NAT64 of a private address", "64:ff9b::10.0.0.1"],
    ["NAT64 of loopback", "64:ff9b::7f00:1"],
    ["local NAT64", "64:ff9b:1::1"],
    ["no address at all", "example.com"],
    ["no address at all", ""],
  ])("refuses %s %s", (_what, address) => {
    expect(isOpen(address)).toEqual(expect.any(String));
  });

  test.each([
    "8.8.8.8",
    "1.1.1.1",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2001:4860:4860::8888",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
  ])("lets the public %s pass", (address) => {
    expect(isOpen(address)).toBeUndefined();
  });

  test("opens what the allow-list names, in IPv4-mapped form too, and nothing beside it", () => {
    const policy = addressPolicy(["127.0.0.0/30", " fd00::/8 ", "10.1.2.3"]);
    for (const address of ["127.0.0.1", "::ffff:127.0.0.1", "fd00::1", "10.1.2.3"]) {
      expect([address, policy(address)]).toEqual([address, undefined]);
    }
    for (const address of ["127.0.0.4", "::1", "fc00::1", "10.1.2.4"]) {
      expect([address, policy(address)]).toEqual([address, expect.any(String)]);
    }
  });

  test.each(["", "10.0.0.0/33", "fd00::/129", "10.0.0.0/", "10.0.0/8", "localhost", "10.0.0.0/8/8", "::/-1"])(
    'says at start that "%s" is not a range',
    (cidr) => {
      expect(() => addressPolicy([cidr])).toThrow(/is not a CIDR range/);
    },
  );
});
