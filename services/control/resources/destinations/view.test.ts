import { expect, test } from "@jest/globals";
import { addressPolicy } from "#egress";
import { destinationWarnings } from "./view.ts";

const urls = (...hosts: string[]) => hosts.map((host) => ({ url: `http://${host}:8080/hook` }));

test("a webhook whose URL has an address that gets no call is warned of, and the setting named", () => {
  const webhooks = urls("example.com", "10.1.2.3", "93.184.215.14", "[::1]", "2130706433", "localhost");
  expect(destinationWarnings(webhooks, addressPolicy([]))).toEqual(
    [1, 3, 4].map((index) => ({
      path: `webhooks[${index}].url`,
      message: expect.stringMatching(/^gets no call: its address is .*HOOKLINE_EGRESS_ALLOW_CIDRS opens it$/),
    })),
  );
});

test("an address that is opened is not warned of", () => {
  expect(destinationWarnings(urls("10.1.2.3", "127.0.0.1"), addressPolicy(["10.0.0.0/8"]))).toMatchObject([
    { path: "webhooks[1].url" },
  ]);
});
